// The report in tables and moments.

import { type TemplateResult, html, nothing } from 'lit-html';
import type { App } from '../app';
import type { MoveReport, ReportedGame, SideSummary } from '../engine/protocol';
import { markOf, scoreOf } from '../game/annotate';
import type { Side } from '../game/clock';
import { GLYPHS } from '../game/marks';
import { scoreText } from '../game/words';
import { savePng, saveSvg } from './picture';
import { reportDrawing } from './report-picture';

export function reportBody(app: App, report: ReportedGame, train: (side: Side) => void): TemplateResult {
  const moments = momentsOf(report);
  const names: [string, string] = [playerName(app, 'White'), playerName(app, 'Black')];
  const mistakes = (side: Side): number => report.moves.filter(step => step.color === side && isMistake(step)).length;
  const drawing = (): TemplateResult => reportDrawing(app, report, names);
  return html`${report.opening ? html`<p class="opening">${report.opening.eco} ${report.opening.name}</p>` : nothing}
    ${table(names, report, MARKS)}
    <div class="controls">
      ${(['white', 'black'] as const).map((side, index) => (mistakes(side) ? html`<button type="button" class="retry" @click=${() => train(side)}>Retry the mistakes of ${names[index]} (${mistakes(side)})</button>` : nothing))}
      <button type="button" id="report-svg" aria-label="Save the report as SVG" @click=${() => saveSvg(drawing(), 'report')}>SVG</button>
      <button type="button" id="report-png" aria-label="Save the report as PNG" @click=${() => void savePng(drawing(), 'report')}>PNG</button>
    </div>
    <h2>${moments.length ? 'Critical moments' : 'No serious mistake was found'}</h2>
    <ol class="moments">${moments.map(step => moment(app, step))}</ol>
    <h2>Accuracy by phase</h2>
    ${table(names, report, PHASES)}
    <p class="small">${report.budget} for each position; win percentage and accuracy by the formulas that lichess publishes.</p>`;
}

export function isMistake(step: MoveReport): boolean {
  return step.judgement === 'blunder' || step.judgement === 'mistake';
}

export function momentsOf(report: ReportedGame): MoveReport[] {
  return report.moves.filter(step => isMistake(step) || step.mark === 'brilliant');
}

export function playerName(app: App, side: 'White' | 'Black'): string {
  const name = app.tree.headers.get(side);
  return name && name !== '?' ? name : side;
}

export function numbered(step: MoveReport): string {
  return `${step.number}${step.color === 'white' ? '.' : '…'} ${step.san}`;
}

function moment(app: App, step: MoveReport): TemplateResult {
  const node = app.tree.mainline()[step.ply];
  const nag = markOf(step) ?? 7;
  const [glyph, name] = GLYPHS[nag] ?? ['', ''];
  const score = scoreOf(step);
  const drop = Math.round(step.win_before - step.win_after);
  return html`<li>
    <button type="button" class="moment" @click=${() => app.go(node)}>
      <span class="badge nag${nag}" title=${name}>${glyph}</span><strong>${numbered(step)}</strong>
      <span class="small">${name}${score ? `, ${scoreText(score)}` : ''}${drop > 0 ? `, −${drop} % chances` : ''}</span>
      <span class="remark">${step.remarks.join(' ')}</span>
    </button>
  </li>`;
}

/// A row of a table: its name, and what stands there for a side.
type Row = [string, (side: SideSummary) => string];

export const MARKS: Row[] = [
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

function table(names: [string, string], game: ReportedGame, rows: Row[]): TemplateResult {
  return html`<table class="summary">
    <thead><tr><td></td>${names.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value(game.white)}</td><td>${value(game.black)}</td></tr>`)}</tbody>
  </table>`;
}
