/**
 * Why a card was not charged, as the `message` of exception 80. Each says what the partner can do. A bank that suspects
 * fraud must not tell the person who holds the card, so those reasons share one text.
 */
export const paymentDeclines = {
  card_declined: "The card was declined. Ask the patient for another card, or to call the bank that issued it.",
  insufficient_funds: "The card has insufficient funds. Ask the patient for another card, or try again later.",
  expired_card: "The card has expired. Ask the patient for another card.",
  incorrect_cvc: "The card's security code is incorrect. Ask the patient to enter the card again.",
  incorrect_number: "The card's number, date or postal code is incorrect. Ask the patient to enter the card again.",
  call_bank:
    "The bank does not allow this payment. The patient must call the bank that issued the card, or use another.",
  not_supported: "The card does not support this payment. Ask the patient for another card.",
  processing_error: "The bank could not process the payment. Send the same card again later, or ask for another.",
  authentication_required:
    "The bank asks the patient to confirm the payment. Send the patient the link, or ask for another card.",
  unknown_token: "The payment provider does not know the payment token. Create a new token and send it.",
  authorization_ended:
    "The bank ended the authorization before the order shipped. Send the card again, or ask for another.",
} as const;

export type PaymentDecline = keyof typeof paymentDeclines;
export const isPaymentDecline = (key: string): key is PaymentDecline => Object.hasOwn(paymentDeclines, key);
