// The engine inside the page: one worker that analyses and plays, and one more for each review, which
// keeps it busy until it is done.

import type { Backend, EngineEvents } from './engine';
import type { Reply, Request } from './protocol';
import type { Heard, NetProgress, Told } from './worker';

interface Events extends EngineEvents {
  net(progress: NetProgress): void;
}

export class InsideEngine implements Backend {
  /// Whether this page was built with an engine in it.
  static readonly isBuilt = import.meta.env.VITE_INSIDE === '1';
  isOpen = false;
  private readonly worker: Worker;
  private reviewer: Worker | undefined;

  constructor(private readonly events: Events) {
    this.worker = this.begin(true);
  }

  send(request: Request): void {
    if (!this.isOpen) return;
    if (request.type === 'report') {
      this.endReview();
      this.reviewer = this.begin(false);
      tell(this.reviewer, { request });
    } else if (request.type === 'cancel_report') {
      this.endReview();
    } else {
      tell(this.worker, { request });
    }
  }

  close(): void {
    this.isOpen = false;
    this.endReview();
    this.worker.terminate();
  }

  private endReview(): void {
    this.reviewer?.terminate();
    this.reviewer = undefined;
  }

  private begin(isMain: boolean): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<Heard>) => {
      const message = event.data;
      if ('net' in message) this.events.net(message.net);
      else if ('failed' in message) this.fail(message.failed);
      else this.hear(message.reply, isMain);
    });
    worker.addEventListener('error', event => this.fail(event.message));
    tell(worker, { begin: { base: new URL(import.meta.env.BASE_URL, location.href).href, fetchesFull: isMain } });
    return worker;
  }

  private hear(reply: Reply, isMain: boolean): void {
    if (reply.type === 'hello') {
      // The reviewer says hello as well, but to nobody.
      if (!isMain) return;
      if (!this.isOpen) {
        this.isOpen = true;
        this.events.status('open');
      }
    }
    this.events.reply(reply);
    if (reply.type === 'report') this.endReview();
  }

  private fail(reason: string): void {
    this.isOpen = false;
    this.endReview();
    this.events.reply({ type: 'refused', id: null, reason: `The engine of this page failed: ${reason}` });
    this.events.status('failed');
  }
}

function tell(worker: Worker, message: Told): void {
  worker.postMessage(message);
}
