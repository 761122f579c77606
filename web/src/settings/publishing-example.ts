/** How a template reads with a job's own words in it. */
const example = { jobId: 'job_01k2ht5m8c', title: 'Explain how to pass a proxy' }

export const renderExample = (template: string): string =>
  template.replace(/\{(jobId|title)\}/g, (_variable, name: keyof typeof example) => example[name])

/** What is missing, in words; undefined: it can be saved. The server looks again, and more closely. */
export const branchMistake = (template: string) =>
  template.includes('{jobId}') ? undefined : 'Needs {jobId}, so that every job has its own branch'

export const titleMistake = (template: string) =>
  template.split('{title}').length === 2 ? undefined : 'Needs {title}, once'

export const bodyMistake = (template: string) =>
  template.split('\n').filter((line) => line === '{summary}').length === 1
    ? undefined
    : 'Needs {summary}, once, on a line of its own'
