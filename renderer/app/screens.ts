import type { Component } from 'svelte';
import type { IconName } from '../components/icons.ts';
import ClusterScreen from '../features/cluster/ClusterScreen.svelte';
import DrawScreen from '../features/draw/DrawScreen.svelte';
import GraphScreen from '../features/graph/GraphScreen.svelte';
import HomeScreen from '../features/home/HomeScreen.svelte';
import MachinesScreen from '../features/machines/MachinesScreen.svelte';
import ProgramsScreen from '../features/programs/ProgramsScreen.svelte';
import RunsScreen from '../features/runs/RunsScreen.svelte';
import SettingsScreen from '../features/settings/SettingsScreen.svelte';
import TraceScreen from '../features/trace/TraceScreen.svelte';

interface Screen {
  /** First part of its address. */
  readonly id: 'home' | 'machines' | 'cluster' | 'programs' | 'draw' | 'runs' | 'trace' | 'settings' | 'graph';
  readonly icon: IconName;
  /** Gets the other parts of the address as `parts`; some screens have no use for them. */
  readonly component: Component<never>;
  /** Opened from other screens only, and shown as a part of that one in the navigation. */
  readonly within?: Screen['id'];
}

/** In the order of the navigation. */
export const screens: readonly [Screen, ...Screen[]] = [
  { id: 'home', icon: 'home', component: HomeScreen },
  { id: 'machines', icon: 'machines', component: MachinesScreen },
  { id: 'cluster', icon: 'cluster', component: ClusterScreen },
  { id: 'programs', icon: 'programs', component: ProgramsScreen },
  { id: 'draw', icon: 'edit', component: DrawScreen },
  { id: 'runs', icon: 'runs', component: RunsScreen },
  { id: 'trace', icon: 'traces', component: TraceScreen },
  { id: 'settings', icon: 'settings', component: SettingsScreen },
  { id: 'graph', icon: 'programs', component: GraphScreen, within: 'programs' },
];
