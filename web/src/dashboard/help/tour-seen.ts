const KEPT_AS = "pestle-tour";
/** Of a computer that many people share. */
const MOST = 50;
/** In place of a person: no one sees the tour in this browser. */
const NO_ONE = "*";

const ids = (): string[] => (localStorage.getItem(KEPT_AS) ?? "").split(",").filter(Boolean);

/** Whether the person has seen or closed the tour in this browser. */
export const isTourDone = (person_id: string): boolean => ids().some((id) => id === person_id || id === NO_ONE);

export function tourDone(person_id: string): void {
  const kept = [...ids().filter((id) => id !== person_id), person_id].slice(-MOST);
  localStorage.setItem(KEPT_AS, kept.join(","));
}
