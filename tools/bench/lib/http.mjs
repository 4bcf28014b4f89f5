// Plain node:http with kept-alive sockets: the client's own share of the CPU stays small and the same for every target.
import http from 'node:http';
import https from 'node:https';

export class HttpError extends Error {
  constructor(method, url, status, body) {
    super(`${method} ${url} -> ${status} ${body.slice(0, 300)}`);
    this.status = status;
  }
}

export class Http {
  retriedSockets = 0;

  constructor({ timeoutMs = 120_000 } = {}) {
    this.timeoutMs = timeoutMs;
    const options = { keepAlive: true, maxSockets: 256, maxFreeSockets: 256 };
    this.agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  /** Resolves to {status, headers, text, ms, json()}; rejects on a status of 400 and above that is not in `allow`. */
  async request(method, url, { body, headers = {}, allow = [] } = {}) {
    const start = performance.now();
    for (let tries = 0; ; tries++) {
      try {
        const answer = await this.once(method, new URL(url), body, headers);
        if (answer.status >= 400 && !allow.includes(answer.status))
          throw new HttpError(method, url, answer.status, answer.text);
        return { ...answer, ms: performance.now() - start, json: () => JSON.parse(answer.text) };
      } catch (e) {
        // the server closed an idle socket while we were writing to it
        if (!(e.reused && e.code === 'ECONNRESET' && tries < 3)) throw e;
        this.retriedSockets++;
      }
    }
  }

  once(method, url, body, headers) {
    return new Promise((resolve, reject) => {
      const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const all = { accept: 'application/json', ...headers };
      if (data) Object.assign(all, { 'content-type': 'application/json', 'content-length': data.length });
      const library = url.protocol === 'https:' ? https : http;
      const request = library.request(url, { method, headers: all, agent: this.agents[url.protocol] }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }),
        );
        response.on('error', reject);
      });
      request.setTimeout(this.timeoutMs, () =>
        request.destroy(new Error(`${method} ${url}: no answer in ${this.timeoutMs} ms`)),
      );
      request.on('error', (e) => reject(Object.assign(e, { reused: request.reusedSocket })));
      request.end(data);
    });
  }

  close() {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }
}
