/**
 * What the window may load, wherever it is served from; sent as a header. Nothing but its own files: no inline code, no remote
 * content. Only style attributes are let through: Svelte and its libraries set positions and sizes with them.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
