/** Texts of the native menu and dialogs. Those of the window are in its own catalogue. */
export interface MenuTexts {
  readonly file: string;
  readonly open: string;
  readonly runDemo: string;
  readonly quit: string;
  readonly edit: string;
  readonly undo: string;
  readonly redo: string;
  readonly cut: string;
  readonly copy: string;
  readonly paste: string;
  readonly selectAll: string;
  readonly view: string;
  readonly home: string;
  readonly machines: string;
  readonly cluster: string;
  readonly programs: string;
  readonly draw: string;
  readonly runs: string;
  readonly trace: string;
  readonly settings: string;
  readonly commandPalette: string;
  readonly reload: string;
  readonly developerTools: string;
  readonly actualSize: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly fullScreen: string;
  readonly run: string;
  readonly newRun: string;
  readonly pauseRun: string;
  readonly stepRun: string;
  readonly traceNext: string;
  readonly stopRun: string;
  readonly window: string;
  readonly minimize: string;
  readonly close: string;
  readonly help: string;
  readonly about: string;
  readonly hide: string;
  readonly hideOthers: string;
  readonly showAll: string;
  readonly cannotOpen: string;
}

export type ShellLanguage = 'en' | 'zh-CN';

export const menuTexts: Readonly<Record<ShellLanguage, MenuTexts>> = {
  en: {
    file: '&File',
    open: '&Open…',
    runDemo: 'Run the &Demo',
    quit: '&Quit Lanflow',
    edit: '&Edit',
    undo: '&Undo',
    redo: '&Redo',
    cut: 'Cu&t',
    copy: '&Copy',
    paste: '&Paste',
    selectAll: 'Select &All',
    view: '&View',
    home: '&Home',
    machines: '&Machines',
    cluster: '&Cluster',
    programs: '&Programs',
    draw: '&Draw',
    runs: '&Runs',
    trace: '&Traces',
    settings: '&Settings…',
    commandPalette: 'Command &Palette…',
    reload: 'Re&load Window',
    developerTools: '&Developer Tools',
    actualSize: '&Actual Size',
    zoomIn: 'Zoom &In',
    zoomOut: 'Zoom &Out',
    fullScreen: '&Full Screen',
    run: '&Run',
    newRun: '&New Run…',
    pauseRun: '&Pause or Resume',
    stepRun: '&Step',
    traceNext: '&Trace Next Step',
    stopRun: 'St&op',
    window: '&Window',
    minimize: '&Minimize',
    close: '&Close Window',
    help: 'Hel&p',
    about: '&About Lanflow',
    hide: 'Hide Lanflow',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    cannotOpen: 'The file cannot be opened',
  },
  'zh-CN': {
    file: '文件(&F)',
    open: '打开(&O)…',
    runDemo: '运行演示(&D)',
    quit: '退出 Lanflow(&Q)',
    edit: '编辑(&E)',
    undo: '撤销(&U)',
    redo: '重做(&R)',
    cut: '剪切(&T)',
    copy: '复制(&C)',
    paste: '粘贴(&P)',
    selectAll: '全选(&A)',
    view: '查看(&V)',
    home: '首页(&H)',
    machines: '机器(&M)',
    cluster: '集群(&C)',
    programs: '程序(&P)',
    draw: '绘图(&D)',
    runs: '运行(&R)',
    trace: '轨迹(&T)',
    settings: '设置(&S)…',
    commandPalette: '命令面板(&P)…',
    reload: '重新加载窗口(&L)',
    developerTools: '开发者工具(&D)',
    actualSize: '实际大小(&A)',
    zoomIn: '放大(&I)',
    zoomOut: '缩小(&O)',
    fullScreen: '全屏(&F)',
    run: '运行(&R)',
    newRun: '新建运行(&N)…',
    pauseRun: '暂停或继续(&P)',
    stepRun: '单步(&S)',
    traceNext: '跟踪下一步(&T)',
    stopRun: '停止(&O)',
    window: '窗口(&W)',
    minimize: '最小化(&M)',
    close: '关闭窗口(&C)',
    help: '帮助(&P)',
    about: '关于 Lanflow(&A)',
    hide: '隐藏 Lanflow',
    hideOthers: '隐藏其他',
    showAll: '全部显示',
    cannotOpen: '无法打开文件',
  },
};

/** The language for a system that prefers these, best first. */
export function languageFor(preferred: readonly string[]): ShellLanguage {
  const first = preferred.find((tag) => /^(en|zh)\b/i.test(tag));
  return first?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}
