// Retry your mistakes: the position before each one, until a move is found that keeps the chances.

import { makeSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci } from 'chessops/util';
import { type TemplateResult, html, nothing } from 'lit-html';
import type { App } from '../app';
import type { Lines, MoveReport } from '../engine/protocol';
import type { Side } from '../game/clock';
import { winPercent } from '../game/words';
import type { Analysis } from './analysis';
import { isMistake, numbered } from './report-body';

/// A move may cost so many per cent of the chances and still be a solution.
const ALLOWED_LOSS = 4;
/// A try is judged from this depth on.
const JUDGED_DEPTH = 12;

export class Training {
  private steps: MoveReport[] = [];
  private index = 0;
  private note = '';
  private solved = false;

  constructor(
    private readonly app: App,
    private readonly analysis: Analysis,
    private readonly changed: () => void,
  ) {}

  start(side: Side): void {
    this.steps = (this.app.tree.report?.moves ?? []).filter(step => step.color === side && isMistake(step));
    this.index = 0;
    this.app.orientation = side;
    this.analysis.toggle(false);
    this.pose();
  }

  stop(): void {
    this.steps = [];
    this.app.trial = undefined;
    this.analysis.unwatch();
  }

  view(): TemplateResult | typeof nothing {
    const step = this.steps[this.index];
    if (!step) return nothing;
    // Somebody loaded another game, or walked away.
    if (!this.app.trial && !this.solved) return nothing;
    return html`<div class="training" role="group" aria-label="Retry your mistakes">
      <p><strong>${this.index + 1} of ${this.steps.length}.</strong> ${numbered(step)} was played. Find a better move for ${step.color === 'white' ? 'White' : 'Black'}.</p>
      <p role="status" id="training-note">${this.note}</p>
      <div class="controls">
        ${this.solved ? nothing : html`<button type="button" @click=${() => this.reveal('The engine plays')}>Show the answer</button>`}
        ${this.index + 1 < this.steps.length ? html`<button type="button" class="primary" @click=${() => this.next()}>Next</button>` : nothing}
        <button type="button" @click=${() => this.leave()}>Stop</button>
      </div>
    </div>`;
  }

  private next(): void {
    this.index++;
    this.pose();
  }

  private leave(): void {
    this.stop();
    this.app.changed();
  }

  private pose(): void {
    const { app } = this;
    const step = this.steps[this.index];
    const node = step && app.tree.mainline()[step.ply];
    if (!step || !node?.parent) return;
    this.solved = false;
    this.note = '';
    app.tree.current = node.parent;
    app.trial = move => this.tried(step, move);
    app.changed();
    app.announce(`Find a better move than ${numbered(step)}`);
  }

  private tried(step: MoveReport, move: Move): void {
    const { app } = this;
    const san = makeSan(app.tree.position, move);
    if (san === step.best) {
      this.reveal('Found:');
      return;
    }
    if (san === step.san) {
      this.say(`${san} was played in the game. Try another move.`);
      return;
    }
    this.say(`${san}: let me see…`);
    const message = app.tree.message();
    const at = app.tree.current;
    this.analysis.watch({ ...message, moves: [...message.moves, makeUci(move)] }, lines => this.judge(step, san, lines, at === app.tree.current));
  }

  private judge(step: MoveReport, san: string, { depth, lines }: Lines, here: boolean): void {
    const best = lines[0];
    if (!best || depth < JUDGED_DEPTH) return;
    this.analysis.unwatch();
    if (!here) return;
    const white = winPercent(best.score);
    const loss = step.win_before - (step.color === 'white' ? white : 100 - white);
    if (loss <= ALLOWED_LOSS) this.reveal(`${san} is good as well. The engine's choice:`);
    else this.say(`${san} costs ${Math.round(loss)} % of the chances. Try again.`);
  }

  /// Shows the engine's move on the board; the game goes on from there as usual.
  private reveal(words: string): void {
    const { app } = this;
    const step = this.steps[this.index];
    app.trial = undefined;
    this.solved = true;
    const answer = app.tree.current.children.find(child => child.san === step?.best);
    this.note = `${words} ${step?.best ?? '?'}`;
    app.announce(this.note);
    if (answer) app.go(answer);
    else app.changed();
  }

  private say(text: string): void {
    this.note = text;
    this.app.announce(text);
    // The piece goes back to where it was.
    this.app.changed();
    this.changed();
  }
}
