// How the focus came to where it is.

let byPointer = false;

addEventListener('pointerdown', () => (byPointer = true), true);
addEventListener('keydown', event => {
  if (event.key === 'Tab') byPointer = false;
}, true);

/// After a click arrow keys go through the game; who came by keyboard works a control with them.
export function cameByPointer(): boolean {
  return byPointer;
}
