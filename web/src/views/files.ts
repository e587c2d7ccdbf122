// FEN and PGN in and out: fields, the clipboard, files dropped on the page, and the list of a file's games.

import type { App } from '../app';
import { byId, download, inputById, onClick } from '../dom';
import type { Refused } from '../engine/protocol';
import type { FileReply, FileRequest, GameRow } from '../files/messages';
import { readFen } from '../game/fen';
import { readGames } from '../game/pgn-read';
import { writePgn } from '../game/pgn-write';
import { GameTree } from '../game/tree';
import type { Explorer } from './explorer';
import { showFileList, showProblems } from './file-list';
import { boardDrawing, savePng, saveSvg } from './picture';
import { toast } from './toast';

export class Files {
  private readonly fen = inputById('fen');
  private readonly pgn = byId('pgn') as HTMLTextAreaElement;
  private readonly worker = new Worker(new URL('../files/file-worker.ts', import.meta.url), { type: 'module' });
  private rows: GameRow[] = [];
  private chosen = -1;
  private fenId = 0;

  constructor(
    private readonly app: App,
    private readonly explorer: Explorer,
  ) {
    app.onChange(() => this.show());
    this.worker.onmessage = (event: MessageEvent<FileReply>) => this.receive(event.data);
    explorer.ask = (id, key) => this.post({ kind: 'played', id, key });
    this.fen.addEventListener('change', () => this.loadFen(this.fen.value));
    onClick('load-pgn', () => this.read(this.pgn.value, 'the text'));
    onClick('save-pgn', () => download(new Blob([writePgn(app.tree)], { type: 'application/x-chess-pgn' }), 'game.pgn'));
    onClick('copy-pgn', () => void this.copy(writePgn(app.tree), 'Game'));
    onClick('copy-fen', () => void this.copy(app.tree.fen, 'Position'));
    onClick('save-svg', () => saveSvg(boardDrawing(app), 'board'));
    onClick('save-png', () => void savePng(boardDrawing(app), 'board'));
    onClick('new-analysis', () => this.begin(GameTree.fromFen()));
    inputById('file-search').addEventListener('input', () => this.showList());
    const picker = inputById('pgn-file');
    picker.addEventListener('change', () => {
      void this.openFile(picker.files?.[0]);
      picker.value = '';
    });
    this.bindDrop();
  }

  private bindDrop(): void {
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
      void this.openFile(event.dataTransfer?.files[0]);
    });
  }

  private post(request: FileRequest): void {
    this.worker.postMessage(request);
  }

  /// A position as text; what is wrong with it is said in the engine's own words, if it is there.
  loadFen(text: string): void {
    const read = readFen(text || 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
    if (!('reason' in read)) {
      this.begin(GameTree.fromFen(text.trim() || undefined));
      return;
    }
    this.complain(`This is no position: ${read.reason}`);
    this.fenId = this.app.engine.nextId();
    this.app.engine.send({ type: 'opening', id: this.fenId, position: { fen: text.trim(), moves: [], chess960: false } });
  }

  /// Whether a refusal was the answer to a position of ours.
  refused({ id, reason }: Refused): boolean {
    if (id !== this.fenId || id === 0) return false;
    this.complain(`This is no position: ${reason}`);
    return true;
  }

  private async openFile(file: File | undefined): Promise<void> {
    if (!file) return;
    byId('tab-files').click();
    if (/\.bin$/i.test(file.name)) await this.explorer.openBook(file);
    else this.read(file, file.name);
  }

  private read(file: Blob | string, name: string): void {
    this.say(`Reading ${name}…`);
    this.post({ kind: 'read', file, name });
  }

  private receive(reply: FileReply): void {
    switch (reply.kind) {
      case 'progress':
        this.say(`Reading: ${reply.games.toLocaleString('en')} games, ${Math.round(100 * reply.share)} %`);
        break;
      case 'failed':
        this.complain(`The file cannot be read: ${reply.reason}`);
        break;
      case 'done':
        this.received(reply.rows);
        break;
      case 'text':
        this.open(reply.text);
        break;
      case 'played':
        this.explorer.receive(reply.id, reply.moves);
    }
  }

  private received(rows: GameRow[]): void {
    this.rows = rows;
    this.chosen = -1;
    inputById('file-search').value = '';
    showProblems(rows);
    const first = rows.findIndex(row => row.moves > 0);
    if (rows.length === 0 || (rows.length === 1 && first < 0)) {
      this.complain(rows[0]?.problems.length ? 'This game cannot be shown.' : 'There is no move in this text.');
      this.rows = [];
    } else {
      const bad = rows.filter(row => row.problems.length).length;
      this.say(rows.length === 1 ? '' : `${rows.length.toLocaleString('en')} games${bad ? `, ${bad} of them with problems` : ''}`);
      this.explorer.setGames(rows.length);
      this.choose(Math.max(0, first));
    }
    this.showList();
  }

  private showList(): void {
    showFileList(this.rows, inputById('file-search').value, this.chosen, index => this.choose(index));
  }

  private choose(index: number): void {
    this.chosen = index;
    this.post({ kind: 'text', index });
    this.showList();
  }

  private open(text: string): void {
    const tree = readGames(text).next().value?.tree;
    if (tree) this.begin(tree, this.rows.length > 1 || this.rows.some(row => row.problems.length));
  }

  /// The game comes to the board; what was there is kept among the games.
  private begin(tree: GameTree, stay = false): void {
    if (this.app.playing) {
      this.complain('A game is going on: finish or resign it first.');
      return;
    }
    this.app.load(tree);
    if (!stay) byId('tab-analyse').click();
    this.app.announce('Loaded');
  }

  private show(): void {
    this.fen.value = this.app.tree.fen;
    if (document.activeElement !== this.pgn) this.pgn.value = writePgn(this.app.tree);
  }

  private async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      toast(`${what} copied`);
    } catch {
      toast('The browser does not allow copying here.');
    }
  }

  private say(text: string): void {
    byId('files-status').textContent = text;
  }

  private complain(text: string): void {
    this.say(text);
    this.app.announce(text);
  }
}
