import type { Shortcut } from "./shortcuts.ts";

/** Between the keys of a sequence. People who look for the second key on the keyboard need a second or two. */
export const SEQUENCE_MS = 3_000;
/** How long a key waits for a page that is still loading. */
export const HELD_MS = 5_000;
const MOST_HELD = 8;

type Press = { key: string; at_ms: number };

/**
 * Which shortcut a key press means. A press carries the time of the keystroke, not of its handling: on a busy machine
 * the two differ by seconds.
 */
export function createKeyPresses(find: (keys: string) => Shortcut | undefined) {
  let pressed: Press | null = null;
  let held: Press[] = [];

  const press = ({ key, at_ms }: Press): Shortcut | undefined => {
    const before = pressed !== null && at_ms - pressed.at_ms < SEQUENCE_MS ? `${pressed.key} ${key}` : null;
    const found = (before !== null && find(before)) || find(key);
    pressed = found ? null : { key, at_ms };
    return found || undefined;
  };
  return {
    press,
    /** Ends a sequence: a modifier was pressed on its own. */
    end: () => {
      pressed = null;
    },
    /** Keeps a press until there are shortcuts. */
    hold: (one: Press) => {
      held = [...held, one].slice(-MOST_HELD);
    },
    /**
     * The shortcuts that the kept presses mean now. Only those that navigate: the user had not seen the screen, so
     * nothing on it may change.
     */
    takeHeld: (now_ms: number): Shortcut[] => {
      const fresh = held.filter(({ at_ms }) => now_ms - at_ms < HELD_MS);
      held = [];
      return fresh.flatMap((one) => press(one) ?? []).filter(({ group }) => group !== undefined);
    },
  };
}
