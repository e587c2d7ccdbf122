// Small tools for the page. Text is only ever inserted as text.

/// The element of the page with this id.
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

export function inputById(id: string): HTMLInputElement {
  return byId(id) as HTMLInputElement;
}

export function selectById(id: string): HTMLSelectElement {
  return byId(id) as HTMLSelectElement;
}

export function onClick(id: string, action: () => void): void {
  byId(id).addEventListener('click', action);
}

/// Calls a function once things are quiet.
export function debounce(ms: number, action: () => void): () => void {
  let timer: number | undefined;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, ms);
  };
}

/// Lets the browser save a file.
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
