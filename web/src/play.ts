// A game against the engine: level, clocks, takebacks, hints.

import { parseUci } from 'chessops/util';
import type { Analysis } from './analysis';
import type { App } from './app';
import type { BoardView } from './board';
import { chess960Fen } from './chess960';
import { Clock, type Side, clockText } from './clock';
import { byId, element } from './dom';
import type { Best, Limit } from './protocol';
import { GameTree } from './tree';
import { readLine } from './words';

const HINT_MS = 800;

interface Match {
  human: Side;
  elo: number | null;
  /// Time for each move where there is no clock.
  moveMs: number;
  clock: Clock | undefined;
  over: boolean;
}

export class Play {
  private match: Match | undefined;
  private thinkId = 0;
  private hintId = 0;
  private readonly form = byId<HTMLFormElement>('new-game');

  constructor(
    private readonly app: App,
    private readonly board: BoardView,
    private readonly analysis: Analysis,
  ) {
    app.onChange(() => this.moved());
    this.form.addEventListener('submit', event => {
      event.preventDefault();
      this.begin(new FormData(this.form));
    });
    byId('takeback').addEventListener('click', () => this.takeBack());
    byId('hint').addEventListener('click', () => this.hint());
    byId('resign').addEventListener('click', () => this.resign());
    byId('leave').addEventListener('click', () => this.leave());
    const level = byId<HTMLInputElement>('level');
    const showLevel = (): void => {
      byId('level-text').textContent = level.value === level.max ? 'full strength' : `Elo ${level.value}`;
    };
    level.addEventListener('input', showLevel);
    setInterval(() => this.showClocks(), 100);
  }

  /// The levels the engine offers; the top of the slider is its full strength.
  setLevels(range: [number, number] | null): void {
    byId('level-row').hidden = !range;
    if (!range) return;
    const level = byId<HTMLInputElement>('level');
    const [min, max] = range;
    level.min = String(min);
    level.max = String(max);
    level.step = '50';
    level.value = String(Math.min(1500, max));
    level.dispatchEvent(new Event('input'));
  }

  get isRunning(): boolean {
    return this.match !== undefined && !this.match.over;
  }

  private begin(form: FormData): void {
    const wanted = String(form.get('color'));
    const human: Side = wanted === 'random' ? (Math.random() < 0.5 ? 'white' : 'black') : (wanted as Side);
    const level = byId<HTMLInputElement>('level');
    const limited = !byId('level-row').hidden && level.value !== level.max;
    const minutes = Number(form.get('minutes'));
    const clock = minutes > 0 ? new Clock(minutes * 60_000, Number(form.get('increment')) * 1000) : undefined;
    const chess960 = form.get('chess960') === 'on';
    const tree = chess960
      ? GameTree.fromFen(chess960Fen(Math.floor(Math.random() * 960)), true)
      : GameTree.fromFen();
    const engine = limited ? `Tabiya (${level.value})` : 'Tabiya';
    tree.headers.set('Event', 'Game against Tabiya').set('Date', new Date().toISOString().slice(0, 10).replaceAll('-', '.'));
    tree.headers.set('White', human === 'white' ? 'You' : engine).set('Black', human === 'black' ? 'You' : engine);
    this.analysis.toggle(false);
    this.match = {
      human,
      elo: limited ? Number(level.value) : null,
      moveMs: Number(form.get('seconds')) * 1000,
      clock,
      over: false,
    };
    this.app.connection.send({ type: 'new_game' });
    this.board.orientation = human;
    byId('result').textContent = '';
    this.app.load(tree);
    this.app.announce(`New game. You have ${human}.`);
    byId('board').focus();
  }

  /// Shows whose turn it is and lets the engine think if it is its.
  private moved(): void {
    const { match, app } = this;
    app.playing = this.isRunning;
    document.body.classList.toggle('playing', this.isRunning);
    byId('new-game').hidden = this.isRunning;
    byId('game-controls').hidden = !match;
    byId('takeback').hidden = byId('hint').hidden = byId('resign').hidden = !this.isRunning;
    this.showClocks();
    if (!match || match.over) return;
    const { tree } = app;
    const ending = tree.ending();
    if (ending) {
      this.finish(ending.winner, ending.reason);
      return;
    }
    const atEnd = tree.current.children.length === 0;
    const ours = tree.position.turn === match.human;
    app.movable = ours && atEnd ? match.human : undefined;
    this.board.update();
    if (atEnd) this.pressClock();
    if (!ours && atEnd) this.think();
  }

  /// The clocks begin once White has moved.
  private pressClock(): void {
    const { match, app } = this;
    const turn = app.tree.position.turn;
    if (match?.clock && app.tree.current.parent) match.clock.press(turn === 'white' ? 'black' : 'white', turn);
  }

  private limit(match: Match): Limit {
    const { clock } = match;
    if (!clock) return { kind: 'time', ms: match.moveMs };
    const ms = (side: Side): number => Math.round(clock.time(side));
    return { kind: 'clock', white_ms: ms('white'), black_ms: ms('black'), increment_ms: clock.incrementMs };
  }

  private think(): void {
    const { match, app } = this;
    if (!match) return;
    this.thinkId = app.connection.nextId();
    byId('engine-status').textContent = 'thinking…';
    app.connection.send({ type: 'think', id: this.thinkId, position: app.tree.message(), limit: this.limit(match), elo: match.elo });
  }

  /// After a lost connection the engine is asked again.
  resume(): void {
    if (this.isRunning) this.moved();
  }

  receive(best: Best): void {
    const { tree } = this.app;
    if (best.id === this.hintId && best.move) {
      this.board.setArrows([{ uci: best.move, kind: 'hint' }]);
      const san = readLine(tree.position, [best.move])[0]?.san ?? best.move;
      this.app.announce(`Hint: ${san}`);
      byId('result').textContent = `Hint: ${san}`;
    } else if (best.id === this.thinkId && this.isRunning && best.move) {
      byId('engine-status').textContent = '';
      const move = parseUci(best.move);
      this.app.tree.current = this.tip();
      if (move && tree.position.isLegal(move)) this.app.play(move);
    }
  }

  /// The last position of the game.
  private tip() {
    return this.app.tree.mainline().at(-1) ?? this.app.tree.root;
  }

  takeBack(): void {
    const { match, app } = this;
    if (!match || match.over) return;
    app.connection.send({ type: 'stop' });
    this.thinkId = 0;
    app.tree.current = this.tip();
    do app.tree.cut();
    while (app.tree.current.parent && app.tree.position.turn !== match.human);
    byId('result').textContent = '';
    app.announce('Taken back');
    app.changed();
  }

  hint(): void {
    const { match, app } = this;
    if (!match || match.over || app.tree.position.turn !== match.human) return;
    this.hintId = app.connection.nextId();
    app.connection.send({ type: 'think', id: this.hintId, position: app.tree.message(), limit: { kind: 'time', ms: HINT_MS }, elo: null });
  }

  resign(): void {
    if (this.match && !this.match.over) this.finish(this.match.human === 'white' ? 'black' : 'white', 'resignation');
  }

  /// The game becomes one to analyse.
  private leave(): void {
    this.match = undefined;
    this.thinkId = 0;
    this.app.movable = 'both';
    byId('result').textContent = '';
    byId('tab-analyse').click();
    this.analysis.toggle(true);
    this.app.changed();
  }

  private finish(winner: Side | undefined, reason: string): void {
    const { match, app } = this;
    if (!match) return;
    match.over = true;
    app.playing = false;
    match.clock?.stop();
    app.connection.send({ type: 'stop' });
    const result = winner === 'white' ? '1-0' : winner === 'black' ? '0-1' : '1/2-1/2';
    app.tree.headers.set('Result', result);
    const text = winner ? `${winner === match.human ? 'You win' : 'Tabiya wins'} by ${reason}` : `Draw by ${reason}`;
    byId('result').textContent = `${text} (${result})`;
    app.announce(text);
    app.movable = undefined;
    app.changed();
  }

  private showClocks(): void {
    const { match } = this;
    const bottom = this.board.orientation;
    for (const [id, side] of [
      ['player-bottom', bottom],
      ['player-top', bottom === 'white' ? 'black' : 'white'],
    ] as const) {
      const name = this.app.tree.headers.get(side === 'white' ? 'White' : 'Black') ?? '';
      const clock = match?.clock && clockText(match.clock.time(side));
      const turn = this.isRunning && this.app.tree.position.turn === side;
      byId(id).replaceChildren(
        element('span', { class: `disc ${side}`, 'aria-hidden': 'true' }),
        element('span', { class: 'player-name' }, name && name !== '?' ? name : side === 'white' ? 'White' : 'Black'),
        ...(clock ? [element('span', { class: `clock ${turn ? 'running' : ''}`, role: 'timer' }, clock)] : []),
      );
    }
    const flagged = match && !match.over && match.clock?.flagged();
    if (flagged) this.finish(flagged === 'white' ? 'black' : 'white', 'time');
  }
}
