// The name of the opening, in the head of the page.

import type { App } from '../app';
import { byId, debounce } from '../dom';
import type { OpeningName } from '../engine/protocol';

export class OpeningView {
  private id = 0;

  constructor(private readonly app: App) {
    app.onChange(debounce(120, () => this.ask()));
  }

  ask(): void {
    const { engine, tree } = this.app;
    this.id = engine.nextId();
    engine.send({ type: 'opening', id: this.id, position: tree.message() });
  }

  show(opening: OpeningName): void {
    if (opening.id === this.id) byId('opening-name').textContent = [opening.eco, opening.name].filter(Boolean).join(' ');
  }
}
