// My games: everything that was on the board, to find, open, rename and delete.

import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { App } from '../app';
import { byId, debounce, inputById } from '../dom';
import { type SavedGame, allGames, deleteGame, putGame } from '../store/database';
import type { Keeper } from '../store/keeper';
import { toast } from './toast';

const SHOWN = 200;

export class Library {
  private games: SavedGame[] = [];
  private renaming = '';

  constructor(
    private readonly app: App,
    private readonly keeper: Keeper,
  ) {
    const search = inputById('library-search');
    search.addEventListener('input', () => this.render());
    const reload = debounce(150, () => void this.reload());
    keeper.onSaved = reload;
    reload();
  }

  async reload(): Promise<void> {
    this.games = await allGames();
    this.render();
  }

  private render(): void {
    const words = inputById('library-search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.games.filter(game => {
      const text = [titleOf(game), game.white, game.black, game.result, game.event, game.date, game.opening].join(' ').toLowerCase();
      return words.every(word => text.includes(word));
    });
    render(html`${repeat(found.slice(0, SHOWN), game => game.id, game => this.row(game))}`, byId('library'));
    byId('library-note').textContent = this.games.length === 0 ? 'Games and analyses are kept here, in this browser.' : found.length === 0 ? 'no game has all these words' : found.length > SHOWN ? `and ${found.length - SHOWN} more` : '';
  }

  private row(game: SavedGame) {
    const here = game.id === this.app.gameId;
    const title = titleOf(game);
    const when = new Date(game.changed).toLocaleDateString();
    if (game.id === this.renaming) {
      const finish = (event: Event): void => void this.rename(game, (event.target as HTMLInputElement).value);
      const keys = (event: KeyboardEvent): void => {
        if (event.key === 'Enter') finish(event);
        else if (event.key === 'Escape') void this.rename(game, game.name);
      };
      return html`<li class="library-row"><input class="rename" aria-label="Name of the game" maxlength="80" .value=${title} @keydown=${keys} @blur=${finish} /></li>`;
    }
    return html`<li class="library-row">
      <button type="button" class="game-row" aria-current=${here ? 'true' : nothing} @click=${() => void this.open(game.id)}><span class="players">${title}${game.match ? ' (going on)' : ''}</span><span class="result">${game.result.replace('*', '')}</span><span class="small">${[`${Math.ceil(game.moves / 2)} moves`, game.opening, when].filter(Boolean).join(', ')}</span></button>
      <button type="button" class="quiet" aria-label="Rename ${title}" @click=${() => this.startRenaming(game.id)}>✎</button>
      <button type="button" class="quiet" aria-label="Delete ${title}" @click=${() => void this.remove(game)}>✕</button>
    </li>`;
  }

  private async open(id: string): Promise<void> {
    if (this.app.playing) {
      toast('A game is going on: finish or leave it first.');
      return;
    }
    await this.keeper.open(id);
    await this.reload();
  }

  private startRenaming(id: string): void {
    this.renaming = id;
    this.render();
    const field = document.querySelector<HTMLInputElement>('.rename');
    field?.focus();
    field?.select();
  }

  private async rename(game: SavedGame, name: string): Promise<void> {
    if (this.renaming !== game.id) return;
    this.renaming = '';
    const kept = name.trim() === titleOf({ ...game, name: '' }) ? '' : name.trim();
    await putGame({ ...game, name: kept });
    this.keeper.rename(game.id, kept);
    await this.reload();
  }

  private async remove(game: SavedGame): Promise<void> {
    if (game.id === this.app.gameId && this.app.playing) {
      toast('This game is going on: finish or leave it first.');
      return;
    }
    await deleteGame(game.id);
    await this.reload();
    const back = async (): Promise<void> => {
      await putGame(game);
      await this.reload();
    };
    toast(`${titleOf(game)} is deleted`, { text: 'Undo', action: () => void back() });
  }
}

function titleOf(game: Pick<SavedGame, 'name' | 'white' | 'black' | 'moves'>): string {
  if (game.name) return game.name;
  return game.white || game.black ? `${game.white || '?'} – ${game.black || '?'}` : 'Analysis';
}
