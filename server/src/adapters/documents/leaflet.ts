import { federalCaution, warningsFor } from "../../domain/fulfillment/auxiliary-labels.ts";
import {
  americanDate,
  type DispensedItem,
  dashedNdc,
  dialled,
  discardAfter,
  type PharmacyFacts,
} from "../../domain/fulfillment/documents.ts";
import { amount } from "../../domain/fulfillment/label-elements.ts";
import { boxedWarningsFor, medicationGuideFor, missedDoseFor } from "../../domain/fulfillment/leaflet-texts.ts";
import { inUseLimit } from "../../domain/fulfillment/product-facts.ts";
import { flowOn } from "./flow.ts";
import { SCHEDULE_MARKS } from "./prescription-label.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

const WIDTH = 612;
const HEIGHT = 792;
const EDGE = 54;
const ROOM = WIDTH - 2 * EDGE;

type Section = { title: string; lines: (item: DispensedItem, pharmacy: PharmacyFacts) => string[] };

/** In reading order. General advice only: the drug's own sheet, if any, goes with it. */
const sections: readonly Section[] = [
  {
    title: "How to take it",
    lines: (item) => [item.sig_text, "Take it exactly as directed. Ask your pharmacist if anything is unclear."],
  },
  {
    title: "Warnings",
    lines: (item) => [
      ...boxedWarningsFor(item),
      ...medicationGuideFor(item),
      ...warningsFor(item),
      "Tell your prescriber and your pharmacist about all other medicines you take, any allergies, and if you are or may become pregnant.",
      "Stop taking it and get emergency help (call 911) if you have trouble breathing, or your face, lips or tongue swell.",
      ...[federalCaution(item)].filter((text) => text !== null),
    ],
  },
  {
    title: "If you miss a dose",
    lines: (item) => [
      missedDoseFor(item),
      "If you take too much, call Poison Help at 1-800-222-1222. Call 911 if the person is unconscious or has trouble breathing.",
    ],
  },
  {
    title: "How to store it",
    lines: (item) => [
      item.cold_chain
        ? "Put it in the refrigerator (36 to 46 °F, 2 to 8 °C) as soon as it arrives. Do not freeze it. If it arrived warm, call us before you use it."
        : "Store it at room temperature (68 to 77 °F, 20 to 25 °C), in a dry place away from light.",
      "Keep it in its container, out of the reach of children and pets.",
      ...[inUseLimit(item)].filter((text) => text !== null).map((text) => `${text}.`),
      `Do not use it after ${americanDate(discardAfter(item))}. Take leftover medicine to a take-back site; ask us for the nearest one.`,
    ],
  },
  {
    title: "Side effects",
    lines: () => [
      "Every medicine can have side effects. Call your doctor for medical advice about side effects. You may report side effects to FDA at 1-800-FDA-1088 or www.fda.gov/medwatch.",
    ],
  },
  {
    title: "Questions",
    lines: (_item, { name, street, city, state, zip, phone }) => [
      // The written offer of counseling (ADR 0072).
      "You have the right to talk to a pharmacist about this medicine, at no cost.",
      `Talk to a pharmacist at ${name}: ${dialled(phone)}, ${street}, ${city}, ${state} ${zip}.`,
    ],
  },
];

/** The patient information leaflet, letter size. */
export const leaflet = (pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer> =>
  drawPdf(
    {
      width: WIDTH,
      height: HEIGHT,
      title: `Patient information ${item.dispense_id}`,
      date: item.filled_date,
      sandbox: item.sandbox,
    },
    (sheet) => draw(sheet, pharmacy, item),
  );

function draw(sheet: Sheet, pharmacy: PharmacyFacts, item: DispensedItem) {
  const begin = (page: number) => {
    const foot = `Rx ${item.prescription_id} · Fill ${item.dispense_id} · Page ${page}`;
    sheet.line(foot, { x: EDGE, y: HEIGHT - 40, width: ROOM }, { size: 8, align: "right" });
    return { x: EDGE, width: ROOM, top: EDGE, bottom: HEIGHT - EDGE };
  };
  const flow = flowOn(sheet, begin(1), begin);
  flow.paragraph(pharmacy.name, { size: 11, bold: true });
  flow.paragraph("Patient information", { size: 9 }, { gap: 10 });
  flow.paragraph(item.drug_name, { size: 18, bold: true }, { gap: 2 });
  const mark = SCHEDULE_MARKS[item.drug_schedule];
  const facts = [
    `NDC ${dashedNdc(item.ndc)}`,
    ...(mark === null ? [] : [mark]),
    `Lot ${item.lot}`,
    `Quantity ${amount(item)}`,
    `Filled ${americanDate(item.filled_date)}`,
  ];
  flow.paragraph(facts.join(" · "), { size: 9.5 }, { gap: 2 });
  const people = `For ${item.patient.first_name} ${item.patient.last_name}, prescribed by ${item.prescriber_name}`;
  flow.paragraph(people, { size: 9.5 }, { gap: 4 });
  for (const { title, lines } of sections) {
    flow.need(48);
    flow.y += 10;
    flow.paragraph(title, { size: 12.5, bold: true }, { gap: 3 });
    for (const line of lines(item, pharmacy)) flow.paragraph(line, { size: 11 }, { gap: 4 });
  }
}
