import { describe, expect, it } from 'vitest';
import { type Announcement, decodeAnnouncement, encodeAnnouncement } from '#proto/discovery/announcement.ts';

const full: Announcement = {
  machine: '0123456789abcdef',
  startId: 'fedcba9876543210',
  name: 'Übungs-PC 実験室',
  versions: { lanflow: '0.1.0', node: '20.20.2' },
  fingerprint: 'ab'.repeat(32),
  lab: 'cd'.repeat(8),
};

describe('what an agent tells the LAN of itself', () => {
  it('is read as it was written, as texts or as bytes', () => {
    const written = encodeAnnouncement(full);
    expect(decodeAnnouncement(written)).toEqual(full);
    expect(decodeAnnouncement(written.map((each) => Buffer.from(each)))).toEqual(full);
    const bare = { ...full, versions: {}, fingerprint: '', lab: '' };
    expect(encodeAnnouncement(bare)).toHaveLength(3);
    expect(decodeAnnouncement(encodeAnnouncement(bare))).toEqual(bare);
  });

  it('fits into the strings of a TXT record, cut at a character', () => {
    const [, , name = ''] = encodeAnnouncement({ ...full, name: '実'.repeat(200) });
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^name=実+$/);
  });

  it('is no announcement without both ids', () => {
    for (const data of [
      undefined,
      null,
      7,
      {},
      [],
      '',
      ['id=0123456789abcdef'],
      ['start=0123'],
      ['id=../../etc', 'start=0123'],
      [[], 5, null],
    ])
      expect(decodeAnnouncement(data)).toBeUndefined();
  });

  it('keeps out what could harm whoever shows it', () => {
    const said = decodeAnnouncement([
      'id=0123',
      'start=0123',
      `name=\u001b[31mred\u202e\n${'x'.repeat(200)}`,
      'fp=not hex',
      'lab=<script>',
      'v.__proto__=1',
      'v.lanflow=0.1.0\u0000',
      'V.Node=20',
      'unknown=kept out',
      '=',
      'name=second',
    ]);
    expect(said).toMatchObject({ fingerprint: '', lab: '', versions: { lanflow: '0.1.0', node: '20' } });
    expect(said?.name).toMatch(/^\[31mredx+$/);
    expect(said?.name).toHaveLength(63);
    expect(decodeAnnouncement(['id=0123', 'start=4567', 'name=\u0007'])?.name).toBe('0123');
  });
});
