// The list of moves in two columns, with evaluations, clocks, variations, comments and marks.

import { type TemplateResult, html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { App } from '../app';
import { byId, debounce, onClick } from '../dom';
import { clockText } from '../game/clock';
import { GLYPHS, MOVE_MARKS, POSITION_MARKS, toggleMark } from '../game/marks';
import type { TreeNode } from '../game/tree';
import { moveNumber, scoreText } from '../game/words';

/// Scores that come often are shown now and then.
const QUIET_MS = 300;

/// A row of the list.
type Row =
  | { kind: 'pair'; key: object; number: number; white: TreeNode | undefined; black: TreeNode | undefined }
  | { kind: 'aside'; key: object; node: TreeNode; variations: TreeNode[] };

export class MoveList {
  private readonly list = byId('moves');
  private readonly comment = byId('comment') as HTMLTextAreaElement;

  constructor(private readonly app: App) {
    app.onChange(() => this.render());
    app.onScore(debounce(QUIET_MS, () => this.renderList()));
    this.comment.addEventListener('change', () => {
      const text = this.comment.value.trim();
      if (text !== app.tree.current.comment) app.edit('a comment', () => (app.tree.current.comment = text));
    });
    onClick('promote', () => app.edit('the main line', () => app.tree.promote()));
    onClick('cut', () => app.cut());
    onClick('undo', () => app.undo());
    onClick('redo', () => app.redo());
  }

  private render(): void {
    const { root, current } = this.app.tree;
    this.renderList();
    if (document.activeElement !== this.comment || this.comment.value.trim() === '') this.comment.value = current.comment;
    this.scroll();
    this.showMarks();
    byId('moves-empty').hidden = root.children.length > 0;
    (byId('undo') as HTMLButtonElement).disabled = !this.app.history.canUndo || this.app.playing;
    (byId('redo') as HTMLButtonElement).disabled = !this.app.history.canRedo || this.app.playing;
  }

  private renderList(): void {
    const { root } = this.app.tree;
    render(html`${root.comment ? html`<p class="comment">${root.comment}</p>` : nothing}${repeat(rows(root), row => row.key, row => this.row(row))}`, this.list);
  }

  private scroll(): void {
    const here = this.list.querySelector<HTMLElement>('[aria-current]');
    if (!here) {
      this.list.scrollTop = 0;
      return;
    }
    const box = here.getBoundingClientRect();
    const frame = this.list.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) this.list.scrollTop += box.top - frame.top - frame.height / 2;
  }

  private showMarks(): void {
    const { current } = this.app.tree;
    const mark = (nag: number) => {
      const [text, name] = GLYPHS[nag] ?? ['', ''];
      return html`<button type="button" class="switch nag" title=${name} aria-label=${name} aria-pressed=${String(current.nags.includes(nag))} ?disabled=${!current.parent} @click=${() => this.app.edit(`the mark ${text}`, () => (current.nags = toggleMark(current.nags, nag)))}>${text}</button>`;
    };
    render([...MOVE_MARKS, ...POSITION_MARKS].map(mark), byId('nags'));
  }

  private row(row: Row): TemplateResult {
    if (row.kind === 'pair') {
      const cell = (node: TreeNode | undefined): TemplateResult => (node ? this.move(node) : html`<span class="gap">…</span>`);
      return html`<div class="pair"><span class="number">${row.number}.</span>${cell(row.white)}${row.black ? this.move(row.black) : html`<span></span>`}</div>`;
    }
    return html`<div class="aside">${this.said(row.node)}${repeat(row.variations, node => node, node => this.variation(node, 1))}</div>`;
  }

  private variation(first: TreeNode, depth: number): TemplateResult {
    return html`<span class=${depth === 1 ? 'variation' : 'variation nested'}>${first.before ? html`<span class="comment">${first.before}</span>` : nothing}${this.ply(first, true)}${this.said(first)}${this.line(first, depth)}</span>`;
  }

  /// The moves of a variation flow; those inside it stand in brackets.
  private line(from: TreeNode, depth: number): TemplateResult[] {
    const parts: TemplateResult[] = [];
    let numbered = from.comment !== '';
    for (let at = from; at.children[0]; at = at.children[0]) {
      const [main, ...others] = at.children as [TreeNode, ...TreeNode[]];
      parts.push(html`${this.ply(main, numbered)}${this.said(main)}${others.map(other => this.variation(other, depth + 1))}`);
      numbered = others.length > 0 || main.comment !== '';
    }
    return parts;
  }

  private ply(node: TreeNode, numbered: boolean): TemplateResult {
    const number = node.parent ? moveNumber(node.parent.position, numbered) : '';
    return html`<span class="ply">${number ? html`<span class="number">${number}</span>` : nothing}${this.button(node)}</span>`;
  }

  private move(node: TreeNode): TemplateResult {
    const extra = node.score ? scoreText(node.score) : '';
    return html`<span class="cell">${this.button(node)}${node.clock === undefined ? nothing : html`<span class="time" title="clock">${clockText(node.clock * 1000)}</span>`}${extra && !this.app.playing ? html`<span class="eval">${extra}</span>` : nothing}</span>`;
  }

  private button(node: TreeNode): TemplateResult {
    const glyphs = node.nags.flatMap(nag => (GLYPHS[nag] ? [{ nag, glyph: GLYPHS[nag] }] : []));
    return html`<button type="button" class="move" aria-current=${node === this.app.tree.current ? 'true' : nothing} @click=${() => this.app.go(node)}>${node.san}${glyphs.map(({ nag, glyph: [text, name] }) => html`<span class="glyph nag${nag}" title=${name} role="img" aria-label=${name}>${text}</span>`)}</button>`;
  }

  private said(node: TreeNode): TemplateResult | typeof nothing {
    return node.comment ? html`<span class="comment">${node.comment}</span>` : nothing;
  }
}

/// The main line in pairs; what is said about a move, and what else could have been played, follows it.
function rows(root: TreeNode): Row[] {
  const all: Row[] = [];
  let open: Extract<Row, { kind: 'pair' }> | undefined;
  for (let at = root; at.children[0]; at = at.children[0]) {
    const [main, ...variations] = at.children as [TreeNode, ...TreeNode[]];
    const { fullmoves, turn } = at.position;
    if (turn === 'black' && open) {
      open.black = main;
      open = undefined;
    } else {
      const row: Row = { kind: 'pair', key: main, number: fullmoves, white: turn === 'white' ? main : undefined, black: turn === 'black' ? main : undefined };
      all.push(row);
      open = turn === 'white' ? row : undefined;
    }
    if (variations.length > 0 || main.comment) {
      // Keys of rows differ and stay: the move for the pair, its position for what is beside it.
      all.push({ kind: 'aside', key: main.position, node: main, variations });
      open = undefined;
    }
  }
  return all;
}
