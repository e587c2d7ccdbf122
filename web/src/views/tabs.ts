// Tabs as assistive technology expects them: arrow keys move, one panel is shown.

import { byId } from '../dom';
import { cameByPointer } from '../pointer';

export function bindTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
  const choose = (chosen: HTMLElement): void => {
    for (const tab of tabs) {
      const here = tab === chosen;
      tab.setAttribute('aria-selected', String(here));
      tab.tabIndex = here ? 0 : -1;
      byId(tab.getAttribute('aria-controls') ?? '').hidden = !here;
    }
    document.body.dataset.tab = chosen.id;
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', event => {
      if (cameByPointer()) return;
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const next = step && tabs[(index + step + tabs.length) % tabs.length];
      if (!next) return;
      choose(next);
      next.focus();
    });
  });
  const first = tabs[0];
  if (first) choose(first);
}
