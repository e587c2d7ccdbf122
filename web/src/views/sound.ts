// A short knock for each move, if wanted; made here, so that there is nothing to load.

import { inputById } from '../dom';

const STORE = 'tabiya-sound';

export class Sound {
  private context: AudioContext | undefined;
  private readonly box = inputById('sound');

  constructor() {
    this.box.checked = localStorage.getItem(STORE) === 'on';
    this.box.addEventListener('change', () => {
      localStorage.setItem(STORE, this.box.checked ? 'on' : 'off');
      this.knock('');
    });
  }

  knock(san: string): void {
    if (!this.box.checked) return;
    this.context ??= new AudioContext();
    const now = this.context.currentTime;
    const tone = this.context.createOscillator();
    const volume = this.context.createGain();
    tone.type = 'triangle';
    tone.frequency.value = /[+#]/.test(san) ? 620 : san.includes('x') ? 260 : 400;
    volume.gain.setValueAtTime(0.25, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
    tone.connect(volume).connect(this.context.destination);
    tone.start(now);
    tone.stop(now + 0.13);
  }
}
