// Small tools for the page. Text is only ever inserted as text.

type Child = Node | string | null | undefined | false;

/// Makes an element: `element('button', { class: 'x', onclick: f }, 'Text')`.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value as EventListener);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child): child is Node | string => Boolean(child)));
  return made;
}

/// Makes a node of a drawing.
export function svg(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text) made.textContent = text;
  return made;
}

/// The element of the page with this id.
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/// Calls a function once things are quiet.
export function debounce(ms: number, action: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, ms);
  };
}
