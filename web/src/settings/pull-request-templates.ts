/** The values for the example below the templates. */
const example = { jobId: 'job_01k2ht5m8c', title: 'Explain how to use a proxy' }

export const renderTemplateExample = (template: string): string =>
  template.replace(/\{(jobId|title)\}/g, (_variable, name: keyof typeof example) => example[name])

/** Returns what is missing, or undefined if the template can be saved. The server validates it more strictly. */
export const findBranchTemplateError = (template: string) =>
  template.includes('{jobId}') ? undefined : 'Must contain {jobId}, so that every job has its own branch'

export const findTitleTemplateError = (template: string) =>
  template.split('{title}').length === 2 ? undefined : 'Must contain {title} once'

export const findBodyTemplateError = (template: string) =>
  template.split('\n').filter((line) => line === '{summary}').length === 1
    ? undefined
    : 'Must contain {summary} once, on its own line'
