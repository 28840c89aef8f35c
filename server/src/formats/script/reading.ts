import type { Warning } from "../../domain/intake/incoming-message.ts";
import type { DescriptionCode } from "../../domain/intake/intake-refusals.ts";
import type { WarningCode } from "../../domain/intake/intake-warnings.ts";
import type { Path, Paths } from "./paths.ts";
import { pathOf, type XmlElement } from "./xml.ts";

/** State of reading one message: looks up fields by path and collects warnings and problems. */
export class Reading {
  readonly warnings: Warning[] = [];
  readonly problems: DescriptionCode[] = [];
  /** Recorded only with `trace`, to show where each field came from. */
  readonly found: Found[] | null;

  constructor(trace = false) {
    this.found = trace ? [] : null;
  }

  /** The first text among the alternatives. Repeated elements with different texts cause a warning; the first counts. */
  text(from: XmlElement | null, alternatives: Paths, field: string): string | null {
    return this.hit(from, alternatives, field)?.text ?? null;
  }

  hit(from: XmlElement | null, alternatives: Paths, field: string): Hit | null {
    if (from === null) return null;
    for (const path of alternatives) {
      const hits: Hit[] = [];
      collect(from, path, 0, hits);
      const first = hits[0];
      if (first === undefined) continue;
      if (hits.some(({ text }) => text !== first.text)) this.warn("element_repeated", first.element);
      this.record(field, first);
      return first;
    }
    return null;
  }

  /** An element's own text, as a field. */
  own(element: XmlElement, field: string): string | null {
    if (element.text === "") return null;
    this.record(field, { text: element.text, element, attribute: null });
    return element.text;
  }

  warn(code: WarningCode, where: XmlElement | null): void {
    const path = where === null ? null : pathOf(where);
    if (this.warnings.some((known) => known.code === code && known.path === path)) return;
    this.warnings.push({ code, path });
  }

  refuse(code: DescriptionCode): void {
    if (!this.problems.includes(code)) this.problems.push(code);
  }

  private record(field: string, { text, element, attribute }: Hit): void {
    this.found?.push({ field, text, element, attribute });
  }
}

export interface Hit {
  text: string;
  element: XmlElement;
  attribute: string | null;
}

export interface Found extends Hit {
  field: string;
}

/** Every match of the path that has text, in document order. */
function collect(element: XmlElement, path: Path, depth: number, hits: Hit[]): void {
  if (depth === path.steps.length) {
    const text = path.attribute === null ? element.text : (element.attributes[path.attribute] ?? "");
    if (text !== "") hits.push({ text, element, attribute: path.attribute });
    return;
  }
  for (const next of element.children) {
    if (next.name === path.steps[depth] && !next.empty) collect(next, path, depth + 1, hits);
  }
}
