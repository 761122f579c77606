import Type from 'typebox'

/** As `Origin` has it: no path, no default port, a name beyond ASCII as punycode. */
const SiteOrigin = Type.String({
  maxLength: 300,
  pattern: '^https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$',
})

const settings = {
  humanSource: Type.Enum(['script', 'servers'], {
    description:
      'Who counts people: the script in their browsers, or servers and their logs. All others are counted by servers.',
  }),
  respectDoNotTrack: Type.Boolean({
    description: 'Of the script: whether readers who send Do-Not-Track or Global Privacy Control are not counted.',
  }),
  allowedOrigins: Type.Array(SiteOrigin, {
    maxItems: 100,
    uniqueItems: true,
    description: 'Where the script may stand, like `https://docs.example.com`. Empty: anywhere.',
  }),
  aiScope: Type.Enum(['all', 'assistants'], { description: 'What `ai` means where a question does not say.' }),
  retentionMonths: Type.Union([Type.Integer({ minimum: 1, maximum: 1200 }), Type.Null()], {
    description: 'Views are kept for so many whole months, besides the running one. Null: for ever.',
  }),
}

export const AnalyticsSettingsSchema = Type.Object(settings, { $id: 'AnalyticsSettings' })

export const AnalyticsChanges = Type.Partial(Type.Object(settings), {
  additionalProperties: false,
  minProperties: 1,
  examples: [{ allowedOrigins: ['https://docs.example.com'], respectDoNotTrack: true, retentionMonths: 25 }],
})
