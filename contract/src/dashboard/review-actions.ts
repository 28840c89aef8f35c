/**
 * What solves a review. Each kind of review offers some of these actions; the buttons, the checks of the server and the guide
 * come from here. `takes`: what the form asks for. `pharmacist`: only with a current license. `via`: the
 * last part of the path, `POST …/reviews/{account_id}/{review_id}/{via}`.
 */
export const reviewActions = {
  accept: { name: "Accept", via: "verdict", takes: "note", done: "Accepted.", pharmacist: true },
  reject: { name: "Reject", via: "verdict", takes: "note", done: "Rejected.", pharmacist: true },
  route: { name: "Assign message", via: "route", takes: "account", done: "Message assigned." },
  make_order: {
    name: "Make the order",
    via: "resolve",
    takes: "method",
    done: "Order created.",
    about: "Orders the prescription now, with the shipping method that you choose.",
  },
  ask_prescriber: {
    name: "Ask the prescriber",
    via: "resolve",
    takes: "question",
    done: "The question is sent to the prescriber.",
    about: "Sends a question and stops the automatic order. A changed prescription arrives as a new one.",
    pharmacist: true,
  },
  stop_ordering: {
    name: "Do not order",
    via: "resolve",
    takes: "note",
    done: "Pestle will not order this prescription.",
    about: "Stops the automatic order. The partner can still order the prescription.",
    asks: "What did you agree with the partner or prescriber?",
  },
  different_people: {
    name: "Different people",
    via: "resolve",
    takes: "nothing",
    done: "Saved: different people.",
    about: "Both patients stay as they are.",
  },
  same_person: {
    name: "Same person",
    via: "resolve",
    takes: "note",
    done: "Saved: same person.",
    about: "Both records stay. The note says which one the partner uses from now on.",
    asks: "What did you agree with the partner?",
  },
  process_again: {
    name: "Process again",
    via: "resolve",
    takes: "nothing",
    done: "Pestle processes the message again.",
    about: "Five more attempts, from the next few seconds on. If all fail, the review comes back.",
  },
  cancel_orders: {
    name: "Cancel the order",
    via: "resolve",
    takes: "note",
    done: "Order canceled.",
    about: "Cancels the order that is being filled, and returns its units and its payment.",
    asks: "What did you do with the package?",
  },
  answer: {
    name: "Close with an answer",
    via: "resolve",
    takes: "note",
    done: "Closed.",
    about: "Nothing else changes.",
    asks: "What did you find out, and what did you do?",
  },
} as const satisfies Record<string, ReviewActionRow>;

type ReviewActionRow = {
  name: string;
  via: "verdict" | "route" | "resolve";
  takes: "nothing" | "note" | "method" | "question" | "account";
  /** Shown when it is done. */
  done: string;
  /** What it does. */
  about?: string;
  /** The question above the note. */
  asks?: string;
  pharmacist?: true;
};
export type ReviewAction = keyof typeof reviewActions;

/** The actions that each kind of review offers, the usual one first. */
export const actionsOfReviews = {
  prescription_acceptance: ["accept", "reject"],
  unrouted_message: ["route"],
  order_refused: ["make_order", "ask_prescriber", "stop_ordering"],
  patient_match: ["different_people", "same_person"],
  processing_failed: ["process_again", "answer"],
  canceled_in_filling: ["cancel_orders", "answer"],
  unmatched_cancel: ["answer"],
  message_id_reused: ["answer"],
} as const satisfies Record<string, readonly ReviewAction[]>;
export type ReviewKindName = keyof typeof actionsOfReviews;

export const reviewRow = (action: ReviewAction): ReviewActionRow => reviewActions[action];
/** The actions of `POST …/resolve`. */
export type ReviewDeed = {
  [Action in ReviewAction]: (typeof reviewActions)[Action]["via"] extends "resolve" ? Action : never;
}[ReviewAction];
export const reviewDeeds = (Object.keys(reviewActions) as ReviewAction[]).filter(
  (action): action is ReviewDeed => reviewActions[action].via === "resolve",
);
