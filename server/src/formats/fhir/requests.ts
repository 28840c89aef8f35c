import { type Element, many, text } from "./elements.ts";
import type { Resource, Scope } from "./resolve.ts";

/**
 * The requests a message asks us to act on. The message header, if any, names them. Completed requests, and requests that
 * another one renews or is based on, are only context.
 */
export function requestsIn(scope: Scope): Resource[] {
  const all = scope.resources.filter(({ type, container }) => type === "MedicationRequest" && container === null);
  const meant = inFocus(scope);
  const asked = meant.size === 0 ? all : all.filter(({ element }) => meant.has(element));
  const earlier = new Set(asked.flatMap((request) => earlierThan(request, scope)));
  // Keep an earlier request that is being canceled: the new one must not hide it.
  const current = asked.filter(
    ({ element }) => !earlier.has(element) || !isAside(element.status, ["active", "completed"]),
  );
  const open = current.filter(({ element }) => !isAside(element.status, ["completed"]));
  return [open, current, asked].find((requests) => requests.length > 0) ?? [];
}

function isAside(status: unknown, statuses: string[]): boolean {
  return statuses.includes(text(status) ?? "");
}

function inFocus(scope: Scope): Set<Element> {
  const headers = scope.resources.filter(({ type }) => type === "MessageHeader");
  return new Set(
    headers.flatMap((header) =>
      many(header.element.focus).flatMap((focus) => elementOf(scope.resolve(focus, header, ["MedicationRequest"]))),
    ),
  );
}

function earlierThan(request: Resource, scope: Scope): Element[] {
  const references = [...many(request.element.priorPrescription), ...many(request.element.basedOn)];
  return references
    .flatMap((reference) => elementOf(scope.resolve(reference, request, ["MedicationRequest"])))
    .filter((element) => element !== request.element);
}

function elementOf(found: Resource | null): Element[] {
  return found === null ? [] : [found.element];
}
