// Live analysis: the bar beside the board, the lines, their arrows, threats, the worth of pieces.

import type { App } from './app';
import type { BoardView } from './board';
import { byId, debounce, element } from './dom';
import type { Graph } from './graph';
import type { Inspection, Line, Lines } from './protocol';
import { moveNumber, readLine, scoreText, shortScore, spokenScore, winPercent } from './words';

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
  private readonly request = debounce(120, () => this.ask());
  private readonly lines = byId('lines');
  private readonly count = byId<HTMLSelectElement>('line-count');

  constructor(
    private readonly app: App,
    private readonly board: BoardView,
    private readonly graph: Graph,
  ) {
    app.onChange(() => this.moved());
    byId('engine-toggle').addEventListener('click', () => this.toggle());
    byId('threat-toggle').addEventListener('click', () => this.toggleThreat());
    byId('inspect-toggle').addEventListener('click', () => this.toggleInspect());
    this.count.addEventListener('change', () => this.moved());
    this.lines.addEventListener('pointerdown', () => (this.pressed = true));
    addEventListener('pointerup', () => (this.pressed = false));
    // Nobody looks: the processor rests.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.request();
      else if (this.on) app.connection.send({ type: 'stop' });
    });
  }

  get isOn(): boolean {
    return this.on;
  }

  toggle(on = !this.on): void {
    if (this.app.playing) return;
    this.on = on;
    this.threat &&= on;
    if (!on) this.app.connection.send({ type: 'stop' });
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
    this.moved();
  }

  /// After a reconnection everything is asked again.
  resume(): void {
    this.moved();
  }

  /// Tells the present score to whoever asks.
  speak(): string {
    const score = this.latest?.lines[0]?.score ?? this.app.tree.current.score;
    return score ? spokenScore(score) : 'no evaluation yet';
  }

  private moved(): void {
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
    byId('terms').hidden = !this.inspecting;
    this.showBar(this.app.tree.current.score && { score: this.app.tree.current.score });
    if (!this.on) this.lines.replaceChildren();
    this.lines.classList.add('stale');
    byId('engine-status').textContent = this.on ? 'thinking…' : '';
    this.request();
  }

  private ask(): void {
    const { connection, tree } = this.app;
    if (this.inspecting) {
      this.inspectId = connection.nextId();
      connection.send({ type: 'inspect', id: this.inspectId, position: tree.message() });
    }
    if (!this.on) return;
    const over = tree.position.isEnd();
    this.id = connection.nextId();
    if (over) {
      connection.send({ type: 'stop' });
      this.lines.classList.remove('stale');
      this.lines.replaceChildren(element('li', {}, tree.ending()?.reason ?? 'the game is over'));
      byId('engine-status').textContent = '';
      return;
    }
    const threat = this.threat && !tree.position.isCheck();
    connection.send({ type: 'analyse', id: this.id, position: tree.message(), lines: Number(this.count.value), threat });
  }

  receive(lines: Lines): void {
    if (lines.id !== this.id || !this.on) return;
    this.latest = lines;
    const best = lines.lines[0];
    if (!best) return;
    const threads = lines.threads === 1 ? '1 thread' : `${lines.threads} threads`;
    byId('engine-status').textContent = `depth ${lines.depth} · ${short(lines.nodes)} nodes · ${short(lines.nps)}/s · ${threads}`;
    if (!this.pressed) this.showLines(lines.lines);
    if (this.threat) {
      this.board.setArrows(best.moves[0] ? [{ uci: best.moves[0], kind: 'threat' }] : []);
      return;
    }
    this.app.tree.current.score = best.score;
    this.showBar(best);
    this.graph.render();
    this.board.setArrows(
      lines.lines.flatMap((line, index) => (line.moves[0] ? [{ uci: line.moves[0], kind: index ? 'other' : 'best' } as const] : [])).reverse(),
    );
    if (!this.told && lines.depth >= TOLD_DEPTH) {
      this.told = true;
      this.app.announce(`Depth ${lines.depth}: ${spokenScore(best.score)}`);
    }
  }

  receiveInspection(inspection: Inspection): void {
    if (inspection.id !== this.inspectId || !this.inspecting) return;
    const pawns = (value: number): string => (Math.round(value / 10) / 10 || 0).toFixed(1);
    this.board.setLabels(
      inspection.pieces.map(({ square, worth }) => ({ square, text: pawns(worth), fill: worth < 0 ? '#d55e00' : '#0072b2' })),
    );
    const rows = inspection.terms.filter(term => term.value !== 0);
    const largest = Math.max(1, ...rows.map(term => Math.abs(term.value)));
    byId('terms').replaceChildren(
      ...rows.map(({ name, value }) => {
        const bar = element('span', { class: `term-bar ${value < 0 ? 'for-black' : 'for-white'}` });
        bar.style.width = `${(50 * Math.abs(value)) / largest}%`;
        return element('li', {}, element('span', {}, name), element('span', { class: 'term-track' }, bar), element('span', { class: 'number' }, scoreText({ cp: value })));
      }),
    );
  }

  private showBar(line: { score: Line['score']; wdl?: Line['wdl'] } | undefined): void {
    const chances = line?.wdl ? line.wdl[0] + line.wdl[1] / 2 : undefined;
    const share = chances ?? (line ? winPercent(line.score) * 10 : 500);
    byId('bar-white').style.height = `${share / 10}%`;
    byId('bar-score').textContent = line ? shortScore(line.score) : '';
    byId('score').textContent = line ? scoreText(line.score) : '';
    const [win, draw, loss] = line?.wdl ?? [0, 0, 0];
    for (const [id, value] of [['wdl-win', win], ['wdl-draw', draw], ['wdl-loss', loss]] as const) {
      const part = byId(id);
      part.style.flexGrow = String(value);
      part.textContent = value >= 80 ? `${Math.round(value / 10)}%` : '';
    }
    byId('wdl').hidden = !line?.wdl || this.threat;
    byId('wdl').setAttribute('aria-label', `White wins ${win / 10} %, draw ${draw / 10} %, Black wins ${loss / 10} %`);
  }

  private showLines(lines: Line[]): void {
    const { tree } = this.app;
    const here = tree.current;
    const position = here.position.clone();
    if (this.threat) position.turn = position.turn === 'white' ? 'black' : 'white';
    const rows = lines.map(line => {
      const at = position.clone();
      const steps = readLine(at, line.moves).slice(0, 14);
      const parts = steps.map(({ move, san }, index) => {
        const number = moveNumber(at, index === 0);
        at.play(move);
        const moves = steps.slice(0, index + 1).map(step => step.move);
        const follow = (): void => this.app.go(tree.extend(here, moves));
        const button = element('button', { class: 'move', onclick: this.threat ? undefined : follow, disabled: this.threat }, san);
        return element('span', { class: 'ply' }, number && element('span', { class: 'number' }, number), button);
      });
      const side = 'mate' in line.score ? line.score.mate : line.score.cp;
      return element('li', {}, element('span', { class: `score-chip ${side < 0 ? 'for-black' : 'for-white'}` }, scoreText(line.score)), element('span', { class: 'line-moves' }, ...parts));
    });
    this.lines.classList.remove('stale');
    this.lines.replaceChildren(...rows);
  }
}

/// 950, 12k, 4.5M.
function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(0)}k` : `${(count / 1e6).toFixed(1)}M`;
}
