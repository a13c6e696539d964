import { expect, it } from 'vitest';
import { isSafeExternalUrl } from '../../../../main/app/external-url.ts';

it.each(['https://example.org', 'https://example.org/a?b#c'])('lets %s out', (url) => {
  expect(isSafeExternalUrl(url)).toBe(true);
});

it.each([
  'http://example.org',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ms-settings:network',
  'https://example.org@evil.example',
  'https://user:word@example.org',
  'not a url',
  '',
])('keeps %s in', (url) => {
  expect(isSafeExternalUrl(url)).toBe(false);
});
