import { mount } from 'svelte';
import { connectCore } from './api/core.ts';
import { findHost } from './api/host.ts';
import AppFrame from './app/AppFrame.svelte';
import { I18n } from './locales/i18n.svelte.ts';
import { createApp } from './stores/app.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');

const { transport, shell } = findHost();
const app = createApp({ core: connectCore(transport), shell, i18n: new I18n(navigator.language) });
mount(AppFrame, { target, props: { app } });
