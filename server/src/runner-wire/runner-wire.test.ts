import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { decodeReport, encodeReport, ReportHeader, type TurnReport } from './runner-wire.ts'

const validator = Compile(ReportHeader)

const result: Extract<TurnReport, { kind: 'result' }> = {
  kind: 'result',
  baseCommit: 'a'.repeat(40),
  bundle: Buffer.from('bundle'),
  session: null,
  title: null,
  summary: null,
  reply: null,
  checks: [
    { name: 'Page syntax', status: 'passed', findings: [], note: 'Not checked: a.rst.' },
    { name: 'Front matter', status: 'failed', findings: ['a.md: front matter: invalid'] },
    { name: 'Internal links', status: 'not_checked', findings: ['Not checked: a.rst.'] },
  ],
}

function parse(report: Buffer): { header: unknown; bytes: Buffer } {
  const end = report.indexOf('\n')
  return { header: JSON.parse(report.toString('utf8', 0, end)), bytes: report.subarray(end + 1) }
}

describe('turn report', () => {
  it('is decoded as it was encoded, with every check status and a note', () => {
    const { header, bytes } = parse(encodeReport(result))
    if (!validator.Check(header)) throw new Error('the header is not valid')
    expect(decodeReport(header, bytes)).toEqual(result)
    expect(decodeReport(header, bytes.subarray(1))).toBeUndefined()
  })

  it.each([
    ['an unknown check status', { status: 'skipped' }],
    ['a note that is too long', { note: 'x'.repeat(2_001) }],
    ['an unknown field of a check', { comment: '' }],
  ])('is not valid with %s', (_, change) => {
    const { header } = parse(encodeReport(result))
    const check = { name: 'Page syntax', status: 'passed', findings: [], ...change }
    expect(validator.Check({ ...(header as object), checks: [check] })).toBe(false)
  })
})
