/** A client written from the description of the API alone: plain HTTP, without the SDK. */
export interface PlainResponse {
  status: number
  contentType: string
  body: Record<string, unknown>
}

export interface PlainClient {
  createJob(body: unknown): Promise<PlainResponse>
  sendMessage(id: string, body: unknown): Promise<PlainResponse>
  getJob(id: string): Promise<PlainResponse>
  getViews(query?: Record<string, string | number>): Promise<PlainResponse>
}

export function createPlainClient(baseUrl: string, projectId: string, apiKey: string | undefined): PlainClient {
  const request = async (method: string, path: string, body?: unknown): Promise<PlainResponse> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const contentType = response.headers.get('content-type') ?? ''
    return { status: response.status, contentType, body: (await response.json()) as Record<string, unknown> }
  }
  const job = `/v2/agent/${projectId}/job`
  return {
    createJob: (body) => request('POST', job, body),
    sendMessage: (id, body) => request('POST', `${job}/${id}/message`, body),
    getJob: (id) => request('GET', `${job}/${id}`),
    getViews: (query = {}) => {
      const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      const text = parameters.length === 0 ? '' : `?${parameters.join('&')}`
      return request('GET', `/v1/analytics/${projectId}/views${text}`)
    },
  }
}

export const isOk = ({ status }: PlainResponse): boolean => status >= 200 && status < 300
