import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '@fractus/telemetry';
import { faultOf, type FaultInfo, type FaultMapper } from './faults';
import type { AllowedMethods } from './allowed-methods';

export interface FaultSenderOptions {
  logger: Logger;
  faultMapper: FaultMapper;
  allowed: AllowedMethods;
  /** What a known path answers to a method it does not have. */
  unknownMethod: 404 | 405;
  identityUri?: string;
}

/** Turns every thrown value into a response of the API's own form, and logs the ones that are our fault. */
@Catch()
export class FaultFilter implements ExceptionFilter {
  constructor(private readonly options: FaultSenderOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.send(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const fault = this.describe(error, request);
    this.log(error, fault, request);
    if (reply.sent || reply.raw.headersSent) {
      // half an answer is out: the only honest end is a broken connection
      reply.raw.destroy();
      return;
    }
    const shaped = this.options.faultMapper(fault, request);
    const status = shaped.status ?? fault.status;
    void reply.code(status).headers({ ...this.headers(fault), ...shaped.headers });
    if (shaped.body === undefined) return void reply.send();
    void reply
      .type(shaped.contentType ?? 'application/json')
      .send(typeof shaped.body === 'string' ? shaped.body : JSON.stringify(shaped.body));
  }

  private describe(error: unknown, request: FastifyRequest): FaultInfo {
    const fault = faultOf(error, request.id);
    if (!request.is404 || fault.status !== 404) return fault;
    const path = request.url.split('?', 1)[0] ?? '';
    const allow = this.options.unknownMethod === 405 ? this.options.allowed.of(path) : [];
    if (allow.length === 0) return { ...fault, message: 'The resource could not be found.' };
    return {
      ...fault,
      kind: 'not_allowed',
      status: 405,
      code: 'not_allowed',
      message: `The method ${request.method} is not allowed for this resource.`,
      allow,
    };
  }

  private headers(fault: FaultInfo): Record<string, string> {
    const headers: Record<string, string> = {};
    if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
    if (fault.allow) headers['allow'] = fault.allow.join(', ');
    if (fault.kind === 'unauthenticated' && this.options.identityUri) {
      headers['www-authenticate'] = `Keystone uri="${this.options.identityUri}"`;
    }
    return headers;
  }

  private log(error: unknown, fault: FaultInfo, request: FastifyRequest): void {
    if (fault.status < 500 || fault.status === 501) return;
    const fields = {
      request_id: request.id,
      code: fault.code,
      status: fault.status,
      method: request.method,
      route: request.routeOptions.url,
      err: error,
    };
    if (fault.status === 500) this.options.logger.error(fields, 'request failed');
    else this.options.logger.warn(fields, 'request could not be served');
  }
}
