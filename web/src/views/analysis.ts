// Live analysis: what is asked of the engine, and what it says so far.

import { html, nothing, render } from 'lit-html';
import type { App } from '../app';
import { byId, debounce, onClick, selectById } from '../dom';
import type { Inspection, Line, Lines, PositionMessage } from '../engine/protocol';
import { learn } from '../game/tree';
import { scoreText, spokenEnding, spokenScore } from '../game/words';
import type { BoardView } from './board';
import { showBar } from './bar';
import { linesView } from './lines';
import { workText } from './work';

/// From this depth on a score is worth telling.
const TOLD_DEPTH = 12;

export class Analysis {
  private on = true;
  private threat = false;
  private inspecting = false;
  private id = 0;
  private inspectId = 0;
  private told = false;
  /// A line that is being clicked must not be replaced under the finger.
  private pressed = false;
  private latest: Lines | undefined;
  /// A move to try from the training: its score goes there.
  private watcher: ((lines: Lines) => void) | undefined;
  private readonly request = debounce(120, () => this.ask());
  private readonly lines = byId('lines');
  private readonly count = selectById('line-count');

  constructor(
    private readonly app: App,
    private readonly board: BoardView,
  ) {
    app.onChange(() => this.moved());
    onClick('engine-toggle', () => this.toggle());
    onClick('threat-toggle', () => this.toggleThreat());
    onClick('inspect-toggle', () => this.toggleInspect());
    this.count.value = localStorage.getItem('tabiya-lines') ?? '3';
    this.count.addEventListener('change', () => this.setLineCount(Number(this.count.value)));
    this.lines.addEventListener('pointerdown', () => (this.pressed = true));
    addEventListener('pointerup', () => (this.pressed = false));
    // Nobody looks: the processor rests.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.request();
      else if (this.on && !app.playing) app.engine.send({ type: 'stop' });
    });
  }

  toggle(on = !this.on): void {
    if (this.app.playing) return;
    this.on = on;
    this.threat &&= on;
    if (!on) this.app.engine.send({ type: 'stop' });
    this.moved();
  }

  toggleThreat(): void {
    if (this.app.playing) return;
    this.threat = !this.threat;
    this.on ||= this.threat;
    this.moved();
  }

  toggleInspect(): void {
    if (this.app.playing) return;
    this.inspecting = !this.inspecting;
    this.moved();
  }

  setLineCount(count: number): void {
    this.count.value = String(count);
    localStorage.setItem('tabiya-lines', this.count.value);
    this.moved();
  }

  /// Everything is asked again: after a reconnection, or when an option was set.
  resume(): void {
    this.moved();
  }

  /// Tells the present score to whoever asks.
  speak(): string {
    const { tree } = this.app;
    const ending = tree.position.isEnd() && tree.ending();
    if (ending) return spokenEnding(ending);
    const score = this.latest?.lines[0]?.score ?? tree.current.score;
    return score ? spokenScore(score) : 'no evaluation yet';
  }

  private moved(): void {
    const { app } = this;
    for (const [id, pressed] of [
      ['engine-toggle', this.on],
      ['threat-toggle', this.threat],
      ['inspect-toggle', this.inspecting],
    ] as const) {
      byId(id).setAttribute('aria-pressed', String(pressed));
    }
    // Answers still on their way belong to the position before.
    this.id = 0;
    this.latest = undefined;
    this.told = false;
    this.board.setArrows([]);
    this.board.setLabels([]);
    byId('terms').hidden = !this.inspecting || app.playing;
    const { position, current } = app.tree;
    showBar(app.orientation, { score: current.score, ending: position.isEnd() ? app.tree.ending() : undefined }, this.threat);
    if (!this.on || app.playing) render(nothing, this.lines);
    this.lines.classList.add('stale');
    if (!app.playing) byId('engine-status').textContent = this.on ? (app.engine.isOpen ? 'thinking…' : 'waiting for the engine') : '';
    this.request();
  }

  private ask(): void {
    const { engine, tree, playing, trial } = this.app;
    if (playing) return;
    if (this.inspecting) {
      this.inspectId = engine.nextId();
      engine.send({ type: 'inspect', id: this.inspectId, position: tree.message() });
    }
    if (!this.on || trial) return;
    this.id = engine.nextId();
    if (tree.position.isEnd()) {
      engine.send({ type: 'stop' });
      this.lines.classList.remove('stale');
      render(html`<li>${tree.ending()?.reason ?? 'the game is over'}</li>`, this.lines);
      byId('engine-status').textContent = '';
      return;
    }
    const threat = this.threat && !tree.position.isCheck();
    engine.send({ type: 'analyse', id: this.id, position: tree.message(), lines: Number(this.count.value), threat });
  }

  /// Analyses a position for somebody else; the board shows nothing of it.
  watch(position: PositionMessage, watcher: (lines: Lines) => void): void {
    const { engine } = this.app;
    this.watcher = watcher;
    this.id = engine.nextId();
    engine.send({ type: 'analyse', id: this.id, position, lines: 1, threat: false });
  }

  unwatch(): void {
    this.watcher = undefined;
    this.id = 0;
    this.app.engine.send({ type: 'stop' });
  }

  receive(lines: Lines): void {
    if (lines.id !== this.id) return;
    if (this.watcher) {
      this.watcher(lines);
      return;
    }
    if (!this.on) return;
    this.latest = lines;
    const best = lines.lines[0];
    if (!best) return;
    byId('engine-status').textContent = workText(lines, this.app.engine.place);
    if (!this.pressed) this.showLines(lines.lines);
    if (this.threat) {
      this.board.setArrows(best.moves[0] ? [{ uci: best.moves[0], kind: 'threat' }] : []);
      return;
    }
    learn(this.app.tree.current, best.score, best.depth);
    showBar(this.app.orientation, best, false);
    this.app.scored();
    this.board.setArrows(lines.lines.flatMap((line, index) => (line.moves[0] ? [{ uci: line.moves[0], kind: index ? ('other' as const) : ('best' as const) }] : [])).reverse());
    if (!this.told && lines.depth >= TOLD_DEPTH) {
      this.told = true;
      this.app.mention(`Depth ${lines.depth}: ${spokenScore(best.score)}`);
    }
  }

  receiveInspection(inspection: Inspection): void {
    if (inspection.id !== this.inspectId || !this.inspecting || this.app.playing) return;
    const pawns = (value: number): string => (Math.round(value / 10) / 10 || 0).toFixed(1);
    this.board.setLabels(inspection.pieces.map(({ square, worth }) => ({ square, text: pawns(worth), fill: worth < 0 ? '#d55e00' : '#0072b2' })));
    const rows = inspection.terms.filter(term => term.value !== 0);
    const largest = Math.max(1, ...rows.map(term => Math.abs(term.value)));
    render(
      rows.map(({ name, value }) => html`<li><span>${name}</span><span class="term-track"><span class="term-bar ${value < 0 ? 'for-black' : 'for-white'}" .style=${`width: ${(50 * Math.abs(value)) / largest}%`}></span></span><span class="number">${scoreText({ cp: value })}</span></li>`),
      byId('terms'),
    );
  }

  private showLines(lines: Line[]): void {
    this.lines.classList.remove('stale');
    render(linesView(this.app, lines, this.threat), this.lines);
  }
}
