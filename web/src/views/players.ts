// Who plays: names, captured material, clocks.

import { html, nothing, render } from 'lit-html';
import type { App } from '../app';
import { byId } from '../dom';
import { type Side, clockText, other } from '../game/clock';
import { advantage } from '../game/material';
import type { Play } from './play';

export class Players {
  constructor(
    private readonly app: App,
    private readonly play: Play,
  ) {
    app.onChange(() => this.render());
    setInterval(() => {
      if (play.clockRuns) this.render();
    }, 100);
  }

  private render(): void {
    const { orientation } = this.app;
    render(this.player(orientation), byId('player-bottom'));
    render(this.player(other(orientation)), byId('player-top'));
  }

  private player(side: Side) {
    const { tree } = this.app;
    const title = side === 'white' ? 'White' : 'Black';
    const name = tree.headers.get(title);
    const { pieces, points } = advantage(tree.position, side);
    const words = pieces.map(({ role, count }) => `${count} ${role}`).join(', ');
    const clock = this.clock(side);
    const running = this.play.clockRuns && this.play.clock?.turn === side;
    return html`<span class="disc ${side}" aria-hidden="true"></span
      ><span class="player-name">${name && name !== '?' ? name : title}</span>
      ${pieces.length ? html`<span class="material" role="img" aria-label="ahead by ${words}">${pieces.map(({ role, count }) => html`<span class="men ${role}" data-count=${count}></span>`)}${points ? html`<span class="points">+${points}</span>` : nothing}</span>` : nothing}
      ${clock === undefined ? nothing : html`<span class="clock ${running ? 'running' : ''}" role="timer" aria-label="${title}'s clock">${clockText(clock)}</span>`}`;
  }

  /// Milliseconds: of the running game, or as the game was recorded.
  private clock(side: Side): number | undefined {
    if (this.play.isRunning) return this.play.clock?.time(side);
    const seconds = this.app.tree.path().findLast(node => node.clock !== undefined && node.position.turn !== side)?.clock;
    return seconds === undefined ? undefined : seconds * 1000;
  }
}
