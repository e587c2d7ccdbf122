// The report on a game: asked for, followed, cancelled, and put where it belongs.

import { html, nothing, render } from 'lit-html';
import type { App } from '../app';
import { byId, onClick, selectById } from '../dom';
import type { Progress, Report } from '../engine/protocol';
import { annotate, belongs } from '../game/annotate';
import type { Side } from '../game/clock';
import { restore, snapshot } from '../game/snapshot';
import { getGame, putGame } from '../store/database';
import type { Analysis } from './analysis';
import { reportBody } from './report-body';
import { toast } from './toast';
import { Training } from './training';

export class ReportView {
  private id = 0;
  private gameId = '';
  private progress: Progress | undefined;
  private note = '';
  private readonly training: Training;

  constructor(
    private readonly app: App,
    private readonly analysis: Analysis,
  ) {
    this.training = new Training(app, analysis, () => this.render());
    onClick('report-start', () => this.ask());
    onClick('report-cancel', () => this.cancel(''));
    app.onChange(() => this.render());
  }

  private ask(): void {
    const { app } = this;
    const line = app.tree.mainline();
    if (app.playing || line.length < 2 || !app.engine.isOpen) {
      this.note = app.playing ? 'Finish the game first.' : app.engine.isOpen ? 'There is no game yet: play one, or load one.' : 'The engine is not connected.';
      this.render();
      return;
    }
    this.training.stop();
    this.analysis.toggle(false);
    this.note = '';
    this.gameId = app.gameId;
    this.id = app.engine.nextId();
    this.progress = { type: 'progress', id: this.id, done: 0, total: line.length };
    app.announce('Analysing the game');
    const nodes = Number(selectById('report-nodes').value);
    app.engine.send({ type: 'report', id: this.id, position: app.tree.messageOf(line), nodes });
    this.render();
  }

  receiveProgress(progress: Progress): void {
    if (progress.id !== this.id || !this.progress) return;
    this.progress = progress;
    this.render();
  }

  refused(id: number | null, reason: string): void {
    if (id === this.id) this.end(reason);
  }

  /// Nobody waits for it any more.
  cancel(note: string): void {
    if (!this.progress) return;
    this.app.engine.send({ type: 'cancel_report' });
    this.end(note);
  }

  private end(note: string): void {
    this.progress = undefined;
    this.id = 0;
    this.note = note;
    this.render();
  }

  async show({ id, game }: Report): Promise<void> {
    if (id !== this.id) return;
    const { app, gameId } = this;
    this.end('');
    if (app.gameId === gameId) {
      // The game went on meanwhile: then the report speaks of another one.
      if (!belongs(game, app.tree)) {
        toast('The game was changed during the review: start it again.');
        return;
      }
      app.edit('the report', () => annotate(app.tree, game));
      const accuracy = (value: number | null): string => `${Math.round(value ?? 0)} per cent`;
      app.announce(`Report ready. Accuracy of White ${accuracy(game.white.accuracy)}, of Black ${accuracy(game.black.accuracy)}.`);
      return;
    }
    const kept = await getGame(gameId);
    const tree = kept && restore(kept);
    if (!kept || !tree || !belongs(game, tree)) return;
    annotate(tree, game);
    await putGame({ ...kept, ...snapshot(tree) });
    toast(`The report on ${kept.white || 'White'} – ${kept.black || 'Black'} is with its game in “My games”.`);
  }

  private train(side: Side): void {
    this.training.start(side);
    byId('report-body').querySelector('.training')?.scrollIntoView({ block: 'nearest' });
  }

  private render(): void {
    const { app, progress } = this;
    byId('report-start').hidden = progress !== undefined;
    byId('report-cancel').hidden = progress === undefined;
    const elsewhere = progress && this.gameId !== app.gameId ? ' of the other game' : '';
    render(
      html`${progress ? html`<p class="small" id="report-progress">Review${elsewhere}: ${progress.done} of ${progress.total} positions</p><progress aria-label="Analysing the game" max=${progress.total} value=${progress.done}></progress>` : nothing}
        ${this.note ? html`<p>${this.note}</p>` : nothing}
        ${this.training.view()}
        ${app.tree.report ? reportBody(app, app.tree.report, side => this.train(side)) : nothing}`,
      byId('report-body'),
    );
  }
}
