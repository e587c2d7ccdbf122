// Settings: a form made from the engine's option table, the colours, and what stays in the browser.

import type { App } from './app';
import { byId, element } from './dom';
import type { OptionRow } from './protocol';

const STORE = 'tabiya-options';

export class Settings {
  private readonly rows = byId('options');

  constructor(private readonly app: App) {
    const theme = byId<HTMLSelectElement>('theme');
    theme.value = localStorage.getItem('tabiya-theme') ?? 'auto';
    const apply = (): void => {
      document.documentElement.dataset['theme'] = theme.value;
      localStorage.setItem('tabiya-theme', theme.value);
    };
    theme.addEventListener('change', apply);
    apply();
  }

  /// Shows the options of the engine and sets those that were changed on an earlier visit.
  show(options: OptionRow[], evaluation: string): void {
    byId('evaluation-name').textContent = evaluation;
    const kept = stored();
    for (const option of options) {
      const value = kept[option.name];
      if (value !== undefined && option.kind !== 'button') this.app.connection.send({ type: 'option', name: option.name, value });
    }
    this.rows.replaceChildren(...options.map(option => this.row(option, kept[option.name])));
  }

  private row(option: OptionRow, kept: string | undefined): Node {
    const set = (value: string): void => {
      this.app.connection.send({ type: 'option', name: option.name, value });
      if (option.kind !== 'button') localStorage.setItem(STORE, JSON.stringify({ ...stored(), [option.name]: value }));
    };
    const id = `option-${option.name.replaceAll(' ', '-')}`;
    const label = element('label', { for: id }, option.name);
    const help = element('small', { id: `${id}-help` }, option.help);
    return element('div', { class: 'option' }, label, control(option, kept, id, set), help);
  }
}

function control(option: OptionRow, kept: string | undefined, id: string, set: (value: string) => void): HTMLElement {
  const described = { id, 'aria-describedby': `${id}-help` };
  switch (option.kind) {
    case 'button':
      return element('button', { ...described, type: 'button', onclick: () => set('') }, option.name);
    case 'check': {
      const box = element('input', { ...described, type: 'checkbox' });
      box.checked = kept ? kept === 'true' : option.default;
      box.addEventListener('change', () => set(String(box.checked)));
      return box;
    }
    case 'spin': {
      const { min, max } = option;
      const field = element('input', { ...described, type: 'number', min, max, value: kept ?? option.default });
      field.addEventListener('change', () => {
        if (field.reportValidity()) set(field.value);
      });
      return field;
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
