/** Where an agent answers other machines, unless another program has the port. */
export const AGENT_PORT = 7470;
