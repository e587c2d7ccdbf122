// A game against the engine: clocks, take-backs, hints, draws, rematches.

import { parseUci } from 'chessops/util';
import type { App } from '../app';
import { byId, onClick } from '../dom';
import type { Best, Limit, Lines, Score } from '../engine/protocol';
import { chess960Fen } from '../game/chess960';
import { Clock, type Side, other } from '../game/clock';
import { GameTree, type TreeNode, newGame } from '../game/tree';
import { readLine } from '../game/words';
import type { Analysis } from './analysis';
import type { BoardView } from './board';
import type { Agreement, SavedMatch } from './match';
import { readAgreement, setColor } from './play-form';
import { toast } from './toast';
import { workText } from './work';

const HINT_MS = 800;
const THINKING = 'thinking…';
/// Before this many moves nobody agrees to a draw.
const DRAW_MOVE = 10;

interface Match {
  human: Side;
  agreement: Agreement;
  clock: Clock | undefined;
  over: boolean;
  /// The last position the engine was asked about; each one is asked once.
  asked: TreeNode | undefined;
  /// The last position that was reached; its clocks are set.
  tip: TreeNode | undefined;
  /// How the engine saw its last move, from White's view.
  score: Score | undefined;
}

export class Play {
  private match: Match | undefined;
  private thinkId = 0;
  private hintId = 0;
  /// Whether the engine that is there can play like people.
  playsLikePeople = false;

  constructor(
    private readonly app: App,
    private readonly board: BoardView,
    private readonly analysis: Analysis,
  ) {
    app.onChange(() => this.moved());
    byId('new-game').addEventListener('submit', event => {
      event.preventDefault();
      this.begin(readAgreement());
    });
    onClick('takeback', () => this.takeBack());
    onClick('hint', () => this.hint());
    onClick('draw', () => this.offerDraw());
    onClick('resign', () => this.resign());
    onClick('rematch', () => this.rematch());
    onClick('leave', () => this.leave());
    onClick('play-here', () => this.playHere());
    setInterval(() => this.checkFlag(), 100);
  }

  get isRunning(): boolean {
    return this.match !== undefined && !this.match.over;
  }

  get clockRuns(): boolean {
    return this.isRunning && this.match?.clock?.turn !== undefined;
  }

  /// The clock of the game on the board, if there is one.
  get clock(): Clock | undefined {
    return this.match?.clock;
  }

  saved(): SavedMatch | undefined {
    const { match } = this;
    return match && !match.over ? { human: match.human, agreement: match.agreement, clock: match.clock?.state } : undefined;
  }

  /// Goes on with a game that was kept; time does not run while nobody could play.
  restore({ human, agreement, clock }: SavedMatch): void {
    this.analysis.toggle(false);
    this.match = { human, agreement, clock: clock && Clock.from(clock), over: false, asked: undefined, tip: this.tip(), score: undefined };
    this.app.tree.current = this.tip();
    byId('tab-play').click();
    this.app.changed();
    this.app.announce('The game goes on');
  }

  private begin(agreement: Agreement): void {
    const { app } = this;
    const here = app.tree.position;
    const human = agreement.color === 'random' ? (Math.random() < 0.5 ? 'white' : 'black') : agreement.color;
    const tree = agreement.fromHere && !here.isEnd() ? GameTree.fromFen(app.tree.fen, app.tree.chess960) : agreement.chess960 ? GameTree.fromFen(chess960Fen(Math.floor(Math.random() * 960)), true) : newGame();
    const engine = agreement.elo === null ? 'Tabiya' : `Tabiya (${agreement.elo}${agreement.human ? ', as people play' : ''})`;
    const date = new Date();
    tree.headers.set('Event', 'Game against Tabiya').set('Site', '?');
    tree.headers.set('Date', [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0')).join('.'));
    tree.headers.set('White', human === 'white' ? 'You' : engine).set('Black', human === 'black' ? 'You' : engine);
    const { minutes, increment } = agreement;
    if (minutes > 0) tree.headers.set('TimeControl', `${minutes * 60}${increment ? `+${increment}` : ''}`);
    const clock = minutes > 0 ? new Clock(minutes * 60_000, increment * 1000) : undefined;
    this.analysis.toggle(false);
    this.match = undefined;
    app.engine.send({ type: 'new_game' });
    byId('result').textContent = '';
    app.load(tree, undefined, human);
    this.match = { human, agreement, clock, over: false, asked: undefined, tip: tree.root, score: undefined };
    app.changed();
    app.announce(`New game. You have ${human}.`);
    byId('board').focus();
  }

  private rematch(): void {
    const { match } = this;
    if (!match || this.isRunning) return;
    const agreement = { ...match.agreement, color: other(match.human), fromHere: false };
    setColor(agreement.color);
    this.begin(agreement);
  }

  /// The position on the board becomes a game; whoever is to move is the human.
  private playHere(): void {
    if (this.isRunning) return;
    byId('tab-play').click();
    this.begin({ ...readAgreement(), color: this.app.tree.position.turn, fromHere: true });
  }

  /// Shows whose turn it is and lets the engine think if it is its.
  private moved(): void {
    const { match, app } = this;
    // Another game was loaded: the old one is kept, and its clock does not run here.
    if (match && !match.over && match.tip && rootOf(match.tip) !== app.tree.root) this.match = undefined;
    app.playing = this.isRunning;
    document.body.classList.toggle('playing', this.isRunning);
    byId('new-game').hidden = this.isRunning;
    byId('game-controls').hidden = !this.match;
    for (const id of ['takeback', 'hint', 'draw', 'resign']) byId(id).hidden = !this.isRunning;
    byId('rematch').hidden = this.isRunning;
    if (!this.isRunning || !match) return;
    const atEnd = app.tree.current.children.length === 0;
    this.board.setMovable(atEnd ? match.human : undefined);
    if (!atEnd) return;
    this.turnClock(match);
    const ending = app.tree.ending();
    if (ending) this.finish(ending.winner, ending.reason);
    else if (app.tree.position.turn !== match.human) this.think(match);
    else this.board.playPremove();
  }

  /// Stops the clock of whoever moved and lets the other one run, once a move was made.
  private turnClock(match: Match): void {
    const { tree, engine } = this.app;
    const { clock } = match;
    const { turn } = tree.position;
    const isNew = match.tip !== tree.current;
    match.tip = tree.current;
    if (!clock) return;
    if (isNew) {
      clock.press(other(turn));
      tree.current.clock = Math.round(clock.time(other(turn)) / 100) / 10;
    }
    if (tree.current.parent && engine.isOpen) clock.run(turn);
  }

  private limit({ clock, agreement }: Match): Limit {
    if (!clock) return { kind: 'time', ms: Math.round(agreement.seconds * 1000) };
    const ms = (side: Side): number => Math.round(clock.time(side));
    return { kind: 'clock', white_ms: ms('white'), black_ms: ms('black'), increment_ms: clock.incrementMs };
  }

  private think(match: Match): void {
    const { engine, tree } = this.app;
    if (match.asked === tree.current || !engine.isOpen) return;
    match.asked = tree.current;
    this.thinkId = engine.nextId();
    byId('engine-status').textContent = THINKING;
    engine.send({ type: 'think', id: this.thinkId, position: tree.message(), limit: this.limit(match), elo: match.agreement.elo, human: this.playsLikePeople && match.agreement.human === true });
  }

  /// The connection broke: time stands until it is back, nobody loses on time for it.
  pause(): void {
    this.match?.clock?.stop();
  }

  /// The engine is there (again) and knows nothing.
  resume(): void {
    if (!this.match || this.match.over) return;
    this.match.asked = undefined;
    this.app.tree.current = this.tip();
    this.app.changed();
  }

  /// How far the engine is with its move; nothing of what it found.
  receiveLines(lines: Lines): void {
    if (lines.id === this.thinkId && this.isRunning) byId('engine-status').textContent = workText(lines, this.app.engine.place);
  }

  receive(best: Best): void {
    const { match, app } = this;
    const { tree } = app;
    if (!match || !best.move) return;
    if (best.id === this.hintId) {
      this.board.setArrows([{ uci: best.move, kind: 'hint' }]);
      const san = readLine(tree.position, [best.move])[0]?.san ?? best.move;
      app.announce(`Hint: ${san}`);
      byId('result').textContent = `Hint: ${san}`;
    } else if (best.id === this.thinkId && this.isRunning) {
      const status = byId('engine-status');
      if (status.textContent === THINKING) status.textContent = '';
      match.score = best.score;
      const move = parseUci(best.move);
      tree.current = this.tip();
      if (move && tree.position.isLegal(move)) app.play(move);
    }
  }

  /// The last position of the game.
  private tip(): TreeNode {
    return this.app.tree.mainline().at(-1) ?? this.app.tree.root;
  }

  takeBack(): void {
    const { match, app } = this;
    if (!match || match.over) return;
    app.engine.send({ type: 'stop' });
    this.thinkId = this.hintId = 0;
    match.asked = undefined;
    app.tree.current = this.tip();
    do app.tree.cut();
    while (app.tree.current.parent && app.tree.position.turn !== match.human);
    match.tip = app.tree.current;
    const { clock, agreement } = match;
    clock?.set(this.timeThen('white', agreement), this.timeThen('black', agreement));
    byId('result').textContent = '';
    this.board.cancelPremove();
    this.board.setArrows([]);
    app.announce('Taken back');
    app.changed();
  }

  /// Milliseconds a side had in the current position.
  private timeThen(side: Side, agreement: Agreement): number {
    const last = this.app.tree.path().findLast(node => node.clock !== undefined && node.position.turn !== side);
    return last?.clock !== undefined ? last.clock * 1000 : agreement.minutes * 60_000;
  }

  hint(): void {
    const { match, app } = this;
    if (!match || match.over || app.tree.position.turn !== match.human) return;
    this.hintId = app.engine.nextId();
    app.engine.send({ type: 'think', id: this.hintId, position: app.tree.message(), limit: { kind: 'time', ms: HINT_MS }, elo: null, human: false });
  }

  /// The engine agrees unless it saw itself ahead with its last move.
  private offerDraw(): void {
    const { match, app } = this;
    if (!match || match.over) return;
    const { score } = match;
    const forWhite = score && ('mate' in score ? score.mate * 1000 : score.cp);
    const ahead = forWhite === undefined || (match.human === 'white' ? -forWhite : forWhite) > 0;
    if (!ahead && app.tree.position.fullmoves >= DRAW_MOVE) this.finish(undefined, 'agreement');
    else this.say('Tabiya plays on.');
  }

  private say(text: string): void {
    byId('result').textContent = text;
    this.app.announce(text);
  }

  private resign(): void {
    const { match } = this;
    if (!match || match.over) return;
    this.finish(other(match.human), 'resignation');
    toast('You resigned.', { text: 'Undo', action: () => this.reopen(match) });
  }

  /// Takes back the end of a game.
  private reopen(match: Match): void {
    const { app } = this;
    if (!match.tip || rootOf(match.tip) !== app.tree.root) return;
    this.analysis.toggle(false);
    match.over = false;
    match.asked = undefined;
    this.match = match;
    app.tree.headers.delete('Result');
    app.tree.current = match.tip;
    byId('result').textContent = '';
    byId('tab-play').click();
    app.changed();
  }

  /// The game becomes one to analyse.
  private leave(): void {
    const { match, app } = this;
    const running = this.isRunning;
    match?.clock?.stop();
    if (match) match.over = true;
    this.match = undefined;
    this.thinkId = 0;
    app.playing = false;
    this.board.setMovable('both');
    byId('result').textContent = '';
    byId('tab-analyse').click();
    this.analysis.toggle(true);
    app.changed();
    if (running && match) toast('The game is left unfinished.', { text: 'Play on', action: () => this.reopen(match) });
  }

  private finish(winner: Side | undefined, reason: string): void {
    const { match, app } = this;
    if (!match) return;
    match.over = true;
    app.playing = false;
    match.clock?.stop();
    app.engine.send({ type: 'stop' });
    const result = winner === 'white' ? '1-0' : winner === 'black' ? '0-1' : '1/2-1/2';
    app.tree.headers.set('Result', result);
    const text = winner ? `${winner === match.human ? 'You win' : 'Tabiya wins'} by ${reason}` : `Draw by ${reason}`;
    this.say(`${text} (${result})`);
    byId('engine-status').textContent = '';
    this.board.cancelPremove();
    this.board.setMovable('both');
    app.changed();
  }

  private checkFlag(): void {
    const { match } = this;
    const flagged = match && !match.over && match.clock?.flagged();
    if (!flagged) return;
    const winner = other(flagged);
    const alone = this.app.tree.position.hasInsufficientMaterial(winner);
    this.finish(alone ? undefined : winner, alone ? 'time against a side that cannot mate' : 'time');
  }
}

function rootOf(node: TreeNode): TreeNode {
  let at = node;
  while (at.parent) at = at.parent;
  return at;
}
