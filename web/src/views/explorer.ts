// The opening explorer: what a book recommends here, and what was played in the games of the open file.

import { makeSan, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { html, nothing, render } from 'lit-html';
import type { App } from '../app';
import { byId, debounce } from '../dom';
import type { Played } from '../files/messages';
import type { Book } from '../files/polyglot';
import { toast } from './toast';

export class Explorer {
  /// Asks whoever has read the games.
  ask: (id: number, key: string) => void = () => undefined;
  private book: Book | undefined;
  private bookName = '';
  private games = 0;
  private played: Played[] = [];
  private id = 0;

  constructor(private readonly app: App) {
    app.onChange(debounce(60, () => this.refresh()));
  }

  async openBook(file: File): Promise<void> {
    try {
      const { Book } = await import('../files/polyglot');
      this.book = new Book(await file.arrayBuffer());
      this.bookName = file.name;
      toast(`${file.name}: ${this.book.size.toLocaleString('en')} entries; the explorer shows its moves`);
      byId('tab-analyse').click();
      byId('explorer-box').setAttribute('open', '');
      this.refresh();
    } catch (error) {
      toast(`${file.name}: ${error instanceof Error ? error.message : 'it cannot be read'}`);
    }
  }

  /// A file of games was read.
  setGames(count: number): void {
    this.games = count;
    this.refresh();
  }

  receive(id: number, moves: Played[]): void {
    if (id !== this.id) return;
    this.played = moves;
    this.render();
  }

  private refresh(): void {
    byId('explorer-box').hidden = this.app.playing || (!this.book && this.games < 2);
    this.id++;
    if (this.games > 1) this.ask(this.id, this.app.tree.fen.split(' ').slice(0, 4).join(' '));
    this.render();
  }

  private render(): void {
    const { position } = this.app.tree;
    const inBook = this.book?.moves(position) ?? [];
    const total = inBook.reduce((sum, { weight }) => sum + weight, 0) || 1;
    const play = (move: Move | undefined) => (): void => {
      if (move) this.app.play(move);
    };
    render(
      html`${this.book ? html`<h2>${this.bookName}</h2><ul class="explorer">${inBook.map(({ move, weight }) => html`<li><button type="button" class="move" @click=${play(move)}>${makeSan(position, move)}</button><span class="small">${((100 * weight) / total).toFixed(0)} %</span></li>`)}${inBook.length ? nothing : html`<li class="small">not in the book</li>`}</ul>` : nothing}
      ${this.games > 1 ? html`<h2>${this.games.toLocaleString('en')} games of the file</h2><ul class="explorer">${this.played.map(each => this.row(each, play(parseSan(position, each.san))))}${this.played.length ? nothing : html`<li class="small">not played in them</li>`}</ul>` : nothing}`,
      byId('explorer'),
    );
  }

  private row({ san, white, draws, black }: Played, play: () => void) {
    const count = white + draws + black;
    const part = (name: string, value: number) => html`<span class=${name} .style=${`flex-grow: ${value}`}>${value / count >= 0.15 ? `${Math.round((100 * value) / count)}%` : ''}</span>`;
    return html`<li><button type="button" class="move" @click=${play}>${san}</button><span class="small">${count.toLocaleString('en')}</span><span class="results" role="img" aria-label="White won ${white}, drawn ${draws}, Black won ${black}">${part('win', white)}${part('draw', draws)}${part('loss', black)}</span></li>`;
  }
}
