// The report on a game: accuracy, counts, phases, and the moments that decided it.

import { parseSan } from 'chessops/san';
import type { Analysis } from './analysis';
import type { App } from './app';
import { byId, element } from './dom';
import { GLYPHS } from './moves';
import type { MoveReport, Report, SideSummary } from './protocol';
import type { TreeNode } from './tree';
import { scoreText } from './words';

const NAG = { inaccuracy: 6, mistake: 2, blunder: 4, only: 7, brilliant: 3 } as const;
/// Moves of the better line that are added to the game.
const SHOWN_LINE = 6;

export class ReportView {
  private id = 0;
  private line: TreeNode[] = [];
  private readonly body = byId('report-body');
  private readonly button = byId<HTMLButtonElement>('report-start');

  constructor(
    private readonly app: App,
    private readonly analysis: Analysis,
  ) {
    this.button.addEventListener('click', () => this.ask());
  }

  private ask(): void {
    const { app } = this;
    this.line = app.tree.mainline();
    if (app.playing || this.line.length < 2) {
      this.body.replaceChildren(app.playing ? 'Finish the game first.' : 'There is no game yet: play one, or load one.');
      return;
    }
    this.analysis.toggle(false);
    this.id = app.connection.nextId();
    this.button.disabled = true;
    this.body.replaceChildren(element('progress', { 'aria-label': 'Analysing the game' }));
    app.announce('Analysing the game');
    const nodes = Number(byId<HTMLSelectElement>('report-nodes').value);
    app.connection.send({ type: 'report', id: this.id, position: app.tree.messageOf(this.line), nodes });
  }

  refused(id: number | null, reason: string): void {
    if (id === this.id) this.cancel(reason);
  }

  /// Nothing comes any more.
  cancel(reason: string): void {
    if (!this.button.disabled) return;
    this.button.disabled = false;
    this.body.replaceChildren(reason);
  }

  show(report: Report): void {
    if (report.id !== this.id) return;
    this.button.disabled = false;
    const { game } = report;
    game.moves.forEach((step, index) => this.annotate(step, this.line[index + 1]));
    if (game.opening) this.app.tree.headers.set('Opening', game.opening.name).set('ECO', game.opening.eco);
    const moments = game.moves.filter(step => step.judgement === 'blunder' || step.judgement === 'mistake' || step.mark === 'brilliant');
    this.body.replaceChildren(
      ...(game.opening ? [element('p', { class: 'opening' }, `${game.opening.eco} ${game.opening.name}`)] : []),
      table([this.name('White'), this.name('Black')], game, MARKS),
      element('h3', {}, moments.length ? 'Critical moments' : 'No serious mistake was found'),
      element('ol', { class: 'moments' }, ...moments.map(step => this.moment(step))),
      element('h3', {}, 'Accuracy by phase'),
      table([this.name('White'), this.name('Black')], game, PHASES),
      element('p', { class: 'small' }, `${game.budget} for each position; win percentage and accuracy by the formulas that lichess publishes.`),
    );
    const accuracy = (side: SideSummary): string => `${Math.round(side.accuracy ?? 0)} per cent`;
    this.app.announce(`Report ready. Accuracy of White ${accuracy(game.white)}, of Black ${accuracy(game.black)}, ${moments.length} critical moments.`);
    this.app.changed();
  }

  private name(side: 'White' | 'Black'): string {
    const name = this.app.tree.headers.get(side);
    return name && name !== '?' ? name : side;
  }

  /// Marks a move of the game and adds the better line beside it.
  private annotate(step: MoveReport, node: TreeNode | undefined): void {
    if (!node) return;
    // Zero tells that the mover gave mate, not who that was.
    const mated = 'mate' in step.eval && step.eval.mate === 0;
    node.score = mated ? { cp: step.color === 'white' ? 10000 : -10000 } : step.eval;
    const found = step.judgement ?? step.mark;
    if (!found) return;
    node.nags = [NAG[found], ...node.nags.filter(nag => nag > 7)];
    if (step.remarks.length) node.comment = step.remarks.join(' ');
    if (!step.judgement || !node.parent) return;
    let at = node.parent;
    for (const san of step.best_line.slice(0, SHOWN_LINE)) {
      const move = parseSan(at.position, san);
      if (!move) break;
      at = this.app.tree.extend(at, [move]);
    }
  }

  private moment(step: MoveReport): Node {
    const node = this.line[step.ply];
    const nag = NAG[step.judgement ?? step.mark ?? 'only'];
    const [glyph, name] = GLYPHS[nag] ?? ['', ''];
    const number = `${Math.ceil(step.ply / 2)}${step.color === 'white' ? '.' : '…'}`;
    const drop = Math.round(step.win_before - step.win_after);
    return element(
      'li',
      {},
      element(
        'button',
        { class: 'moment', onclick: () => this.app.go(node) },
        element('span', { class: `badge nag${nag}`, title: name }, glyph),
        element('strong', {}, `${number} ${step.san}`),
        element('span', { class: 'small' }, `${name}, ${scoreText(node?.score ?? step.eval)}${drop > 0 ? `, −${drop} % chances` : ''}`),
        element('span', { class: 'remark' }, step.remarks.join(' ')),
      ),
    );
  }
}

/// A row of a table: its name, and what stands there for a side.
type Row = [string, (side: SideSummary) => string];

const MARKS: Row[] = [
  ['Accuracy', side => percent(side.accuracy)],
  ['Average loss (centipawns)', side => side.average_loss_cp?.toFixed(0) ?? '–'],
  ['?! Inaccuracies', side => String(side.inaccuracies)],
  ['? Mistakes', side => String(side.mistakes)],
  ['?? Blunders', side => String(side.blunders)],
  ['□ Only moves found', side => String(side.only_moves)],
  ['!! Brilliant moves', side => String(side.brilliancies)],
];

const PHASES: Row[] = ['Opening', 'Middlegame', 'Endgame'].map(name => [
  name,
  side => percent(side.phases.find(part => part.phase === name.toLowerCase() && part.moves > 0)?.accuracy ?? null),
]);

function percent(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(0)} %`;
}

function table(names: [string, string], game: { white: SideSummary; black: SideSummary }, rows: Row[]): Node {
  const head = element('tr', {}, element('td'), ...names.map(name => element('th', { scope: 'col' }, name)));
  const body = rows.map(([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value(game.white)), element('td', {}, value(game.black))),
  );
  return element('table', { class: 'summary' }, head, ...body);
}
