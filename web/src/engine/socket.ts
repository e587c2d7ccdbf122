// The WebSocket to the program, opened again when it breaks.

import type { Backend, EngineEvents } from './engine';
import type { Reply, Request } from './protocol';

const TOKEN_KEY = 'tabiya-token';
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

export class SocketEngine implements Backend {
  private socket: WebSocket | undefined;
  private waitMs = FIRST_WAIT_MS;

  constructor(private readonly events: EngineEvents) {
    addEventListener('hashchange', () => this.open());
    // The parts of the page are made first: they hear of the first state, too.
    queueMicrotask(() => this.open());
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(request: Request): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(request));
  }

  private open(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const token = takeToken();
    if (!token) {
      this.events.status('refused');
      return;
    }
    this.events.status('connecting');
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket`, ['tabiya', token]);
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.waitMs = FIRST_WAIT_MS;
      this.events.status('open');
    };
    socket.onmessage = event => this.events.reply(JSON.parse(String(event.data)) as Reply);
    socket.onclose = () => {
      this.events.status(opened ? 'lost' : 'refused');
      setTimeout(() => this.open(), this.waitMs);
      this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
    };
    this.socket = socket;
  }
}

/// The token from the opened address, which then forgets it, or from an earlier visit.
function takeToken(): string | null {
  const inAddress = location.hash.slice(1);
  if (/^[0-9a-f]{32}$/.test(inAddress)) {
    localStorage.setItem(TOKEN_KEY, inAddress);
    history.replaceState(null, '', location.pathname);
  }
  return localStorage.getItem(TOKEN_KEY);
}
