// The report as one picture: players, figures, graph, moments.

import { type TemplateResult, html, svg } from 'lit-html';
import type { App } from '../app';
import type { ReportedGame } from '../engine/protocol';
import { markOf } from '../game/annotate';
import { GLYPHS } from '../game/marks';
import { graphView } from './graph';
import { MARKS, momentsOf, numbered } from './report-body';

const STYLE = `text { font-family: sans-serif; fill: #24211c } .graph-unknown { fill: #e4ddcd } .graph-hatch { fill: #cfc6b2 }
.graph-black { fill: #c9c0ae } .graph-white { fill: #fbf8f1 } .graph-middle { stroke: #6f6757; stroke-dasharray: 3 4; fill: none }
.graph-line { stroke: #1f8a83; stroke-width: 2; fill: none } .graph-here { stroke: none }
.nag6 { fill: #8a6100 } .nag2 { fill: #b5460f } .nag4 { fill: #a0195b }`;

export function reportDrawing(app: App, report: ReportedGame, [white, black]: [string, string]): TemplateResult {
  const moments = momentsOf(report).slice(0, 8);
  const rows = MARKS.map(([name, value], index) => svg`<text x="20" y=${92 + 20 * index} font-size="13">${name}</text><text x="430" y=${92 + 20 * index} font-size="13" text-anchor="end">${value(report.white)}</text><text x="600" y=${92 + 20 * index} font-size="13" text-anchor="end">${value(report.black)}</text>`);
  const height = 400 + 22 * moments.length;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" width="1280" height=${2 * height}>
    <style>${STYLE}</style>
    <rect width="640" height=${height} fill="#fffdf8"></rect>
    <text x="20" y="34" font-size="19" font-weight="700">${white} – ${black} ${app.tree.headers.get('Result') ?? ''}</text>
    <text x="20" y="56" font-size="13">${[report.opening?.eco, report.opening?.name].filter(Boolean).join(' ')}</text>
    <text x="430" y="72" font-size="13" font-weight="700" text-anchor="end">White</text><text x="600" y="72" font-size="13" font-weight="700" text-anchor="end">Black</text>
    ${rows}
    <svg x="20" y="240" width="600" height="110">${graphView(app.tree.mainline(), -1)}</svg>
    ${moments.map((step, index) => svg`<text x="20" y=${376 + 22 * index} font-size="13"><tspan font-weight="700">${numbered(step)}${GLYPHS[markOf(step) ?? 0]?.[0] ?? ''}</tspan> ${step.remarks.join(' ').slice(0, 84)}</text>`)}
    <text x="20" y=${height - 10} font-size="10">Tabiya, ${report.budget} for each position</text>
  </svg>`;
}
