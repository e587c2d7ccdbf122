// The evaluation of the game as a drawing: White's chances over the moves. What nobody evaluated is hatched.

import { html, nothing, render, svg } from 'lit-html';
import type { App } from '../app';
import { byId } from '../dom';
import { type TreeNode, chancesAt } from '../game/tree';
import { GLYPHS } from '../game/marks';
import { moveNumber, scoreText } from '../game/words';

const WIDTH = 600;
const HEIGHT = 110;

export class Graph {
  private readonly root = byId('graph');
  private readonly tip = byId('graph-tip');

  constructor(private readonly app: App) {
    app.onChange(() => this.render());
    app.onScore(() => this.render());
    this.root.addEventListener('click', event => app.go(this.nodeAt(event)));
    this.root.addEventListener('pointermove', event => this.showTip(event));
    this.root.addEventListener('pointerleave', () => (this.tip.hidden = true));
  }

  private nodeAt(event: MouseEvent): TreeNode | undefined {
    const box = this.root.getBoundingClientRect();
    const line = this.app.tree.mainline();
    return line[Math.round(((event.clientX - box.left) / box.width) * (line.length - 1))];
  }

  private showTip(event: PointerEvent): void {
    const node = this.nodeAt(event);
    if (!node) return;
    const box = this.root.getBoundingClientRect();
    this.tip.textContent = tipText(node);
    this.tip.hidden = false;
    const left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - this.tip.offsetWidth));
    this.tip.style.left = `${left}px`;
  }

  render(): void {
    const line = this.app.tree.mainline();
    const known = line.filter(node => node.score).length;
    byId('graph-box').hidden = known < 2 || this.app.playing;
    if (byId('graph-box').hidden) return;
    render(graphView(line, line.indexOf(this.app.tree.current)), this.root);
  }
}

/// The drawing itself, also for pictures of a report.
export function graphView(line: TreeNode[], here: number) {
  const last = Math.max(line.length - 1, 1);
  const x = (index: number): number => (index / last) * WIDTH;
  const y = (node: TreeNode): number => HEIGHT * (1 - (chancesAt(node) ?? 50) / 100);
  const stretches = runs(line).map(run => ({
    path: run.length === 1 ? point(x(run[0] ?? 0), y(line[run[0] ?? 0] as TreeNode)) : run.map(index => `${x(index).toFixed(1)},${y(line[index] as TreeNode).toFixed(1)}`).join(' L'),
    first: x(run[0] ?? 0),
    last: x(run.at(-1) ?? 0),
  }));
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${describe(line)}>
    <defs><pattern id="unknown" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="graph-unknown" width="8" height="8"></rect><rect class="graph-hatch" width="2" height="8"></rect></pattern></defs>
    <rect fill="url(#unknown)" width=${WIDTH} height=${HEIGHT}></rect>
    ${stretches.map(run => svg`<rect class="graph-black" x=${run.first} width=${run.last - run.first} height=${HEIGHT}></rect><path class="graph-white" d="M${run.first},${HEIGHT} L${run.path} L${run.last},${HEIGHT} Z"></path>`)}
    <path class="graph-middle" d="M0,${HEIGHT / 2} H${WIDTH}"></path>
    ${stretches.map(run => svg`<path class="graph-line" d="M${run.path}"></path>`)}
    ${line.map((node, index) => mark(node, x(index)))}
    ${here >= 0 ? svg`<path class="graph-here" d="M${x(here)},0 V${HEIGHT}"></path>` : nothing}
  </svg>`;
}

/// A position alone among unknown ones is a short line.
function point(x: number, y: number): string {
  return `${(x - 3).toFixed(1)},${y.toFixed(1)} L${(x + 3).toFixed(1)},${y.toFixed(1)}`;
}

/// Positions that follow each other; nothing is drawn where nothing is known.
function runs(line: TreeNode[]): number[][] {
  const all: number[][] = [];
  for (const [index, node] of line.entries()) {
    if (chancesAt(node) === undefined) continue;
    const run = all.at(-1);
    if (run?.at(-1) === index - 1) run.push(index);
    else all.push([index]);
  }
  return all;
}

/// A mark where a move was a mistake; taller for worse ones.
function mark(node: TreeNode, x: number) {
  const size: Record<number, number> = { 6: 5, 2: 8, 4: 12 };
  const worst = node.nags.find(nag => size[nag]);
  if (worst === undefined) return nothing;
  const tall = size[worst] ?? 0;
  return svg`<path class="graph-mark nag${worst}" d="M${x - tall / 2},0 h${tall} l${-tall / 2},${tall} Z"></path>`;
}

function tipText(node: TreeNode): string {
  const move = node.parent ? `${moveNumber(node.parent.position, true)} ${node.san}` : 'start';
  const glyph = node.nags.map(nag => GLYPHS[nag]?.[0] ?? '').join('');
  const chances = chancesAt(node);
  const score = [node.score && scoreText(node.score), chances === undefined ? 'not evaluated' : `White ${chances.toFixed(0)} %`].filter(Boolean).join(', ');
  return `${move}${glyph} ${score}`;
}

function describe(line: TreeNode[]): string {
  const count = line.filter(node => chancesAt(node) !== undefined).length;
  const last = line.at(-1)?.score;
  return `Evaluation of ${count} of ${line.length} positions${last ? `, at the end ${scoreText(last)}` : ''}`;
}
