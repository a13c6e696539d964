import type { Program } from '../client/index.ts';
import abcWorkersDPs from './abc-workers-d-ps.ts';
import cardsAndMachines from './cards-and-machines.ts';
import gradientAveraging from './gradient-averaging.ts';
import helloLocalServer from './hello-local-server.ts';
import inGraphAndBetweenGraph from './in-graph-and-between-graph.ts';
import inGraphRegression from './in-graph-regression.ts';
import localServerRegression from './local-server-regression.ts';
import localSessions from './local-sessions.ts';
import locationTrace from './location-trace.ts';
import mixedReplication from './mixed-replication.ts';
import modelParallel from './model-parallel.ts';
import parameterAveraging from './parameter-averaging.ts';
import peerSynchronisation from './peer-synchronisation.ts';
import psSynchronisation from './ps-synchronisation.ts';
import psWorkers from './ps-workers.ts';
import separateGraphs from './separate-graphs.ts';
import sharedVariable from './shared-variable.ts';
import singleMachineMultiCard from './single-machine-multi-card.ts';
import singleMachineSingleCard from './single-machine-single-card.ts';
import syncAndAsyncUpdates from './sync-and-async-updates.ts';
import waitForInitialization from './wait-for-initialization.ts';

/** The sample programs, in the order in which one would teach them. */
export const programs: readonly Program[] = [
  helloLocalServer,
  localServerRegression,
  localSessions,
  sharedVariable,
  locationTrace,
  separateGraphs,
  waitForInitialization,
  psWorkers,
  inGraphRegression,
  singleMachineSingleCard,
  singleMachineMultiCard,
  gradientAveraging,
  parameterAveraging,
  syncAndAsyncUpdates,
  psSynchronisation,
  peerSynchronisation,
  modelParallel,
  inGraphAndBetweenGraph,
  mixedReplication,
  abcWorkersDPs,
  cardsAndMachines,
];

/** The sample program of that name. */
export function findProgram(name: string): Program | undefined {
  return programs.find((program) => program.name === name);
}
