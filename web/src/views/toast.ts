// A short message with a button to undo.

import { html, nothing, render } from 'lit-html';
import { byId } from '../dom';

const SHOWN_MS = 10_000;

let timer: number | undefined;

export function toast(text: string, offer?: { text: string; action: () => void }): void {
  const place = byId('toast');
  const close = (): void => {
    place.hidden = true;
  };
  const act = (): void => {
    close();
    offer?.action();
  };
  render(html`<span>${text}</span>${offer ? html`<button type="button" @click=${act}>${offer.text}</button>` : nothing}<button type="button" class="quiet" aria-label="Close" @click=${close}>✕</button>`, place);
  place.hidden = false;
  clearTimeout(timer);
  timer = window.setTimeout(close, SHOWN_MS);
}
