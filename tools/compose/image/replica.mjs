// Prints the number that docker-compose gave this container among the replicas of its service: `…-conductor-2.…` or
// `…_conductor_2.…` is the name that Docker's own DNS has for the container's address. Where it has none (another
// engine, a container of `docker compose run`) it prints the container's id.
import { Resolver } from 'node:dns/promises';
import { hostname, networkInterfaces } from 'node:os';

const service = process.argv[2];
const dns = new Resolver({ timeout: 1000, tries: 3 });
// not `reverse`: it would stop at /etc/hosts, which has the id only
const pointers = Object.values(networkInterfaces())
  .flat()
  .filter((i) => !i.internal && i.family === 'IPv4')
  .map((i) => `${i.address.split('.').reverse().join('.')}.in-addr.arpa`);
const names = (await Promise.allSettled(pointers.map((p) => dns.resolvePtr(p)))).flatMap((r) => r.value ?? []);
const number = names.map((name) => new RegExp(`[-_]${service}[-_](\\d{1,4})(\\.|$)`).exec(name)?.[1]).find(Boolean);
console.log(number ?? hostname());
