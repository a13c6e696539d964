/**
 * The smallest program: one server, one constant, one session.
 *
 * Teaches: a server is master and worker at once. The client describes a graph, hands it to the master and gets the value back.
 * Look at: the client computes nothing; it is the server that runs the node.
 * Right: the text comes back as it was sent.
 */
import { defineProgram, Graph, ONLY_CLIENT, toNested } from '../client/index.ts';
import { differences } from './check.ts';

const GREETING = 'Hello, Distributed TensorFlow!';

export default defineProgram({
  name: 'hello-local-server',
  title: 'One server, one constant, one session',
  cluster: { local: 1 },

  async run(context) {
    const g = new Graph();
    const hello = g.constant(GREETING);

    const session = context.session(g, 'local', 0);
    const text = String(toNested(await session.run(hello)));
    context.log(text);
    return { text };
  },

  check: (outcomes) => differences(outcomes, { [ONLY_CLIENT]: { text: GREETING } }),
});
