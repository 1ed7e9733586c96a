/** Returns a backend in the browser's IndexedDB, which the tabs of a browser share. */
export function indexedDBBackend(name) {
    let opening;
    const database = () => {
        opening ??= open(name, () => {
            opening = undefined;
        });
        return opening;
    };
    /**
     * Begins a transaction and uses it at once. A connection may be lost without a word, so the
     * database is opened once again.
     */
    const transact = async (mode, use) => {
        // Older declarations of the library lack the third argument.
        const options = [{ durability: "strict" }];
        let transaction;
        try {
            transaction = (await database()).transaction("records", mode, ...options);
        }
        catch {
            opening = undefined;
            transaction = (await database()).transaction("records", mode, ...options);
        }
        return use(transaction);
    };
    return {
        name,
        load: () => transact("readonly", async (transaction) => {
            const records = transaction.objectStore("records");
            // Both requests belong to one transaction, so their lists match.
            const [keys, values] = await Promise.all([
                result(records.getAllKeys()), result(records.getAll()),
            ]);
            return keys.map((key, index) => [String(key), values[index]]);
        }),
        commit: (writes) => transact("readwrite", async (transaction) => {
            const records = transaction.objectStore("records");
            try {
                for (const [key, value] of writes) {
                    if (value === undefined)
                        records.delete(key);
                    else
                        records.put(value, key);
                }
            }
            catch (error) {
                // A value can't be cloned. Without this, the records before it would be written.
                transaction.abort();
                throw error;
            }
            await new Promise((resolve, reject) => {
                transaction.oncomplete = () => resolve();
                transaction.onabort = transaction.onerror = () => reject(transaction.error);
            });
        }),
    };
}
function open(name, closed) {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore("records");
        request.onsuccess = () => {
            const database = request.result;
            // Another tab deletes the database, or the browser closed it: the next use opens it again.
            database.onversionchange = () => {
                database.close();
                closed();
            };
            database.onclose = closed;
            resolve(database);
        };
        request.onerror = () => {
            closed();
            reject(request.error);
        };
    });
}
function result(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
