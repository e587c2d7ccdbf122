// Keeps the game on the board in the browser as it changes, and brings it back.

import type { App } from '../app';
import { debounce } from '../dom';
import { restore, snapshot } from '../game/snapshot';
import { toast } from '../views/toast';
import type { Play } from '../views/play';
import { type SavedGame, allGames, getGame, putGame } from './database';

const HERE = 'tabiya-game';
const QUIET_MS = 250;
/// A running clock is written down this often.
const CLOCK_MS = 1000;

export class Keeper {
  /// Whoever shows the list of games.
  onSaved: () => void = () => undefined;
  private created = Date.now();
  private name = '';
  private id = '';
  private dirty = false;
  private failed = false;
  /// The game this tab has, and how it gives it back.
  private claimed = '';
  private release: (() => void) | undefined;

  constructor(
    private readonly app: App,
    private readonly play: Play,
  ) {
    app.onLeave = () => void this.save();
  }

  /// Brings back what this tab, or the last one, had on the board; then watches.
  async start(): Promise<void> {
    try {
      const here = sessionStorage.getItem(HERE);
      const last = here ? await getGame(here) : (await allGames())[0];
      // Who was faster than the storage plays on.
      if (last && this.app.tree.isEmpty && (await this.claim(last.id))) this.show(last);
      else await this.claim(this.app.gameId);
    } catch (error) {
      this.complain(error);
    }
    const save = debounce(QUIET_MS, () => void this.save());
    this.app.onChange(() => {
      this.dirty = true;
      save();
    });
    addEventListener('pagehide', () => void this.save());
    document.addEventListener('visibilitychange', () => void this.save());
    setInterval(() => {
      if (this.play.clockRuns) void this.save(true);
    }, CLOCK_MS);
  }

  /// Opens a game of the list.
  async open(id: string): Promise<void> {
    await this.save();
    const game = await getGame(id);
    if (!game) return;
    if (id !== this.app.gameId && !(await this.claim(id))) {
      toast('This game is open in another tab.');
      return;
    }
    this.show(game);
  }

  /// The name a user gave to the game on the board.
  rename(id: string, name: string): void {
    if (id === this.id) this.name = name;
  }

  private show(game: SavedGame): void {
    // First the game before leaves, under its own name.
    this.app.load(restore(game), game.id, game.orientation);
    this.created = game.created;
    this.name = game.name;
    this.id = game.id;
    if (game.match) this.play.restore(game.match);
    sessionStorage.setItem(HERE, game.id);
  }

  /// One tab has a game; two would overwrite each other.
  private async claim(id: string): Promise<boolean> {
    // It may have it still, while an empty board is there.
    if (id === this.claimed) return true;
    return new Promise(resolve => {
      void navigator.locks.request(`tabiya-game-${id}`, { ifAvailable: true }, lock => {
        resolve(lock !== null);
        if (!lock) return undefined;
        this.release?.();
        this.claimed = id;
        return new Promise<void>(done => {
          this.release = done;
        });
      });
    });
  }

  async save(force = false): Promise<void> {
    const { app } = this;
    if (!(this.dirty || force) || (app.tree.isEmpty && !app.playing)) return;
    this.dirty = false;
    if (this.id !== app.gameId) {
      this.id = app.gameId;
      this.name = '';
      this.created = Date.now();
      sessionStorage.setItem(HERE, this.id);
      void this.claim(this.id);
    }
    const header = (name: string): string => (app.tree.headers.get(name) ?? '').replace(/^[?.]+$/, '');
    try {
      await putGame({
        ...snapshot(app.tree),
        id: this.id,
        name: this.name,
        white: header('White'),
        black: header('Black'),
        result: header('Result'),
        event: header('Event'),
        date: header('Date'),
        opening: header('Opening'),
        moves: app.tree.mainline().length - 1,
        created: this.created,
        changed: Date.now(),
        orientation: app.orientation,
        match: this.play.saved(),
      });
      this.failed = false;
      this.onSaved();
    } catch (error) {
      this.dirty = true;
      this.complain(error);
    }
  }

  private complain(error: unknown): void {
    if (this.failed) return;
    this.failed = true;
    toast(`Games cannot be kept in this browser: ${error instanceof Error ? error.message : 'the storage refuses'}`);
  }
}
