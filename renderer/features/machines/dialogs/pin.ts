/** Digits of a PIN. */
export const PIN_DIGITS = 6;
