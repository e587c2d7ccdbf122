// FEN and PGN in and out: fields, the clipboard, files dropped on the page.

import type { App } from './app';
import { byId, element } from './dom';
import { GameTree } from './tree';

const LARGEST_FILE = 20 << 20;

export class Files {
  private games: GameTree[] = [];
  private readonly fen = byId<HTMLInputElement>('fen');
  private readonly pgn = byId<HTMLTextAreaElement>('pgn');
  private readonly choice = byId<HTMLSelectElement>('games');

  constructor(private readonly app: App) {
    app.onChange(() => this.show());
    this.fen.addEventListener('change', () => this.loadFen(this.fen.value));
    byId('load-pgn').addEventListener('click', () => this.loadPgn(this.pgn.value));
    byId('save-pgn').addEventListener('click', () => save(app.tree.toPgn()));
    byId('copy-pgn').addEventListener('click', () => void this.copy(app.tree.toPgn(), 'Game'));
    byId('copy-fen').addEventListener('click', () => void this.copy(app.tree.fen, 'Position'));
    this.choice.addEventListener('change', () => this.choose(Number(this.choice.value)));
    const picker = byId<HTMLInputElement>('pgn-file');
    picker.addEventListener('change', () => void this.loadFile(picker.files?.[0]));
    addEventListener('dragover', event => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    addEventListener('dragleave', event => {
      if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    addEventListener('drop', event => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      void this.loadFile(event.dataTransfer?.files[0]);
    });
  }

  loadFen(text: string): void {
    try {
      this.begin(GameTree.fromFen(text.trim() || undefined));
    } catch (error) {
      this.complain(`This is no position: ${reason(error)}`);
    }
  }

  loadPgn(text: string): void {
    try {
      const games = GameTree.fromPgn(text);
      this.games = games;
      const name = (game: GameTree, index: number): string =>
        `${index + 1}. ${game.headers.get('White') ?? '?'} – ${game.headers.get('Black') ?? '?'} ${game.headers.get('Result') ?? ''}`;
      this.choice.replaceChildren(...games.map((game, index) => element('option', { value: index }, name(game, index))));
      this.choice.hidden = games.length < 2;
      if (games.length === 0 || games.every(game => game.root.children.length === 0)) this.complain('There is no move in this text.');
      else this.choose(0);
    } catch (error) {
      this.complain(`This is no game: ${reason(error)}`);
    }
  }

  private choose(index: number): void {
    const game = this.games[index];
    if (game) this.begin(game);
  }

  private begin(tree: GameTree): void {
    byId('files-status').textContent = '';
    if (this.app.playing) {
      this.complain('A game is going on: finish or resign it first.');
      return;
    }
    this.app.movable = 'both';
    this.app.load(tree);
    byId('tab-analyse').click();
    this.app.announce('Loaded');
  }

  private async loadFile(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > LARGEST_FILE) this.complain('This file is larger than 20 MB.');
    else this.loadPgn(await file.text());
  }

  private show(): void {
    this.fen.value = this.app.tree.fen;
    if (document.activeElement !== this.pgn) this.pgn.value = this.app.tree.toPgn();
  }

  private async copy(text: string, what: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    this.app.announce(`${what} copied`);
    byId('files-status').textContent = `${what} copied`;
  }

  private complain(text: string): void {
    byId('files-status').textContent = text;
    this.app.announce(text);
  }
}

function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-chess-pgn' }));
  element('a', { href: address, download: 'game.pgn' }).click();
  URL.revokeObjectURL(address);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : 'unreadable';
}
