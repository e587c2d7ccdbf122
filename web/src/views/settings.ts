// Settings: a form made from the engine's option table, the colours, and what stays in the browser.

import { type TemplateResult, html, render } from 'lit-html';
import type { App } from '../app';
import { byId, selectById } from '../dom';
import type { Hello, OptionRow } from '../engine/protocol';
import type { Analysis } from './analysis';

const STORE = 'tabiya-options';

export class Settings {
  constructor(
    private readonly app: App,
    private readonly analysis: Analysis,
  ) {
    const theme = selectById('theme');
    theme.value = localStorage.getItem('tabiya-theme') ?? 'auto';
    const apply = (): void => {
      document.documentElement.dataset.theme = theme.value;
      localStorage.setItem('tabiya-theme', theme.value);
    };
    theme.addEventListener('change', apply);
    apply();
  }

  /// Shows the options of the engine and sets those that were changed on an earlier visit.
  show({ options, evaluation, tables }: Hello): void {
    byId('evaluation-name').textContent = evaluation;
    const useful = options.filter(option => changesSomething(option, tables > 0));
    const kept = stored();
    for (const option of useful) {
      const value = kept[option.name];
      if (value !== undefined && option.kind !== 'button') this.app.engine.send({ type: 'option', name: option.name, value });
    }
    render(useful.map(option => this.row(option, kept[option.name])), byId('options'));
  }

  private row(option: OptionRow, kept: string | undefined): TemplateResult {
    const set = (value: string): void => {
      this.app.engine.send({ type: 'option', name: option.name, value });
      if (option.kind !== 'button') localStorage.setItem(STORE, JSON.stringify({ ...stored(), [option.name]: value }));
      // An option ends the search; the analysis goes on with it.
      this.analysis.resume();
    };
    const id = `option-${option.name.replaceAll(' ', '-')}`;
    return html`<div class="option"><label for=${id}>${option.name}</label>${control(option, kept, id, set)}<small id="${id}-help">${option.help}</small></div>`;
  }
}

/// One thread is no choice, and tables that are not there are not asked.
function changesSomething(option: OptionRow, hasTables: boolean): boolean {
  if (option.kind === 'spin' && option.min === option.max) return false;
  return hasTables || !option.name.startsWith('Syzygy');
}

function control(option: OptionRow, kept: string | undefined, id: string, set: (value: string) => void): TemplateResult {
  const help = `${id}-help`;
  switch (option.kind) {
    case 'button':
      return html`<button type="button" id=${id} aria-describedby=${help} @click=${() => set('')}>${option.name}</button>`;
    case 'check':
      return html`<input type="checkbox" id=${id} aria-describedby=${help} .checked=${kept ? kept === 'true' : option.default} @change=${(event: Event) => set(String((event.target as HTMLInputElement).checked))} />`;
    case 'spin': {
      const change = (event: Event): void => {
        const field = event.target as HTMLInputElement;
        if (field.reportValidity()) set(field.value);
      };
      return html`<input type="number" id=${id} aria-describedby=${help} min=${option.min} max=${option.max} required .value=${kept ?? String(option.default)} @change=${change} />`;
    }
  }
}

function stored(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}
