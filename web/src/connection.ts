// The WebSocket to the program, opened again when it breaks.

import type { Reply, Request } from './protocol';

export type Status = 'connecting' | 'open' | 'refused' | 'lost';

const TOKEN_KEY = 'tabiya-token';
const LONGEST_WAIT_MS = 8000;

export class Connection {
  private socket: WebSocket | undefined;
  private waitMs = 500;
  private lastId = 0;

  constructor(
    private readonly onReply: (reply: Reply) => void,
    private readonly onStatus: (status: Status) => void,
  ) {
    this.open();
  }

  /// A number for a request, by which its answers are recognised.
  nextId(): number {
    return ++this.lastId;
  }

  send(request: Request): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  private open(): void {
    const token = takeToken();
    if (!token) {
      this.onStatus('refused');
      return;
    }
    this.onStatus('connecting');
    const socket = new WebSocket(`ws://${location.host}/socket`, ['tabiya', token]);
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.waitMs = 500;
      this.onStatus('open');
    };
    socket.onmessage = event => this.onReply(JSON.parse(String(event.data)) as Reply);
    socket.onclose = () => {
      this.onStatus(opened ? 'lost' : 'refused');
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
