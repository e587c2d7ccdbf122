//! The run as a page: served while it goes on, written as one file when it ends.

use super::overview::Overview;
use crate::analyst::annotate::piece_symbols;

/// The script of the page, for servers that allow no script inside it.
pub fn script() -> &'static str {
    include_str!("page/page.js")
}

/// The style of the page.
pub fn style() -> &'static str {
    include_str!("page/page.css")
}

/// The page of a run that goes on: it asks for `status.json`, and finds `page.js` and `page.css`, below
/// the given path.
pub fn live(base: &str) -> String {
    let head = format!("<link rel=\"stylesheet\" href=\"{base}/page.css\">");
    let tail = format!("<script src=\"{base}/page.js\" data-from=\"{base}/status.json\"></script>");
    page(&head, &tail)
}

/// A page that needs nothing else, with the run as it is now.
pub fn report(overview: &Overview) -> String {
    // Nothing of it may end the script early.
    let json = serde_json::to_string(overview).unwrap_or_default().replace('<', "\\u003c");
    let head = format!("<style>\n{}</style>", style());
    let tail = format!(
        "<script type=\"application/json\" id=\"run\">{json}</script>\n<script>\n{}</script>",
        script()
    );
    page(&head, &tail)
}

fn page(head: &str, tail: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>tabiya learn</title>\n{head}\n</head>\n<body>\n{}{}{tail}\n</body>\n</html>\n",
        piece_symbols(),
        include_str!("page/body.html")
    )
}
