/** No opening that is made while a task runs lasts longer: eight hours, a long day in the lab. */
export const LONGEST_OPENING_S = 8 * 3600;
